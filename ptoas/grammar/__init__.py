"""Reading and printing PTO-AS: text to operations and back."""
