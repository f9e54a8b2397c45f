"""The fixed split, by whole game so that no writer's game is in training and test at once.

Sets hcs and epfl, and hcs-number and epfl-number (the printed move numbers of the same pages): a game whose number
divides by 6 is held out for validation, all others are for training.
A pack of made-up cells is held out as a whole by naming it with --check instead of --synthetic-cells.
"""
import re


def held_out(set_name, game):
    if set_name.startswith("synthetic"):
        return False
    return int(re.match(r"\d+", game).group()) % 6 == 0
