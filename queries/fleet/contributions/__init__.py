"""What each person contributes to the counts over groups: queries over the tables of one repository."""
