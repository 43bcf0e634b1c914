"""The service: HTTP API, web page, assistants, messages, and commands that run or repair servers."""
