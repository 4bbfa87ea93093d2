-- Each new issue is written to one index less: issue_by_poster begins with the same column, and has the same rows.
drop index forge.issue_of_poster;
