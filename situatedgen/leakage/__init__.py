"""How far dev and test are from train: nearest neighbours, keywords never seen, hubs, balance, and limits to them."""
