"""The nights of the past, played as if each were today, and what came of what they proposed."""
