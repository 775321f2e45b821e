"""The approver's screens: inbox, case, check-and-sign, receipts."""
