"""Others who keep a job in PostgreSQL, at settings of their own documentation. They run in an environment of their own
(requirements/benchmarks.txt), and import nothing of the house.
"""
