"""What whole-product tests share: worker processes, worlds of documents, what must hold of every job."""
