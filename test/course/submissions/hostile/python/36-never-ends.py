# Computes for ever.
while True:
    pass
