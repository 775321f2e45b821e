"""What every adapter must do, as checks that anybody can run on an adapter, or a configuration file, of their own."""
