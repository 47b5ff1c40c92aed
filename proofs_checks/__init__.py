"""Laws, oracles and checks: what every rule is held to; users run it on rules of their own."""
