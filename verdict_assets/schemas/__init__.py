"""The tables of the project, one file each: columns, types, units, key.

Checks, documentation and DDL are made of these files and of nothing else.
"""
