"""What may be wrong with a mined pair: one named check a module, over two statements that were read beforehand."""
