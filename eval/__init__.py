import qandai  # noqa: F401 - first, as it settles the threads of numpy, which the program has
