"""Commands for several agents at work: plan, start, look after, give back, land."""
