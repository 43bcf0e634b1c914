"""python -m hopline: the command line."""

from hopline.cli import main

main()
