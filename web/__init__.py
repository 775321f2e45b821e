"""The doors: REST for agents, screens for people. They translate, make one call, and decide nothing."""
