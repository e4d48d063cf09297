"""What measuring under load takes: those who ask, a model to be asked, and the servers in between, each a process."""
