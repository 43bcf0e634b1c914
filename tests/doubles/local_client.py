"""The client of an application in this process, over a service that a test made."""

from hopline import Hopline
from hopline.local import URL
from producer.local_application import LocalApplication
from producer.service.service import Service


def client_of(service: Service) -> Hopline:
    """Return a client; closing it closes the service, too."""
    return Hopline(URL, api_key="", transport=LocalApplication(service=service).transport())
