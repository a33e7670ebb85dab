"""The tables of the project, one file each: columns, types, units, key. Checks, docs and DDL come from here."""
