"""The command line: one file a verb, each with NAME, HELP, add_arguments(parser) and run(args)."""
