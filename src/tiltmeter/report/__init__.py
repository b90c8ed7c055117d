"""Tables, figures and pages made from measurements."""
