"""How texts in Chinese are read, which have neither capitals nor spaces to tell a name by."""
