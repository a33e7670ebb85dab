"""Statistics of counts and scores: intervals, paired tests, detectable differences, rank AUC, bootstrap.

Belongs here: functions of plain numbers and arrays, each with its definition and source. Does not belong
here: table columns, strategies or file names. Every sum is over integers or by `math.fsum`, so that a
result does not depend on the order of rows, on threads or on the machine.
"""
