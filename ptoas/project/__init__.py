"""What the command line and the language server share: settings, files, caches, reference pages."""
