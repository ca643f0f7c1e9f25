"""Which rules were in force for a run: the rule files at the commit it worked on, else by time.

`ask` asks the archive, `decide` decides and touches nothing. Any stage may ask.
"""
