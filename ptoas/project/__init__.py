"""Services shared by the command line and the language server: settings, files, caches, reference pages."""
