"""The demo: embedded servers, the supervisor of `make demo`, and the pretend house it is filled with."""
