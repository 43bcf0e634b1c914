# Written from hopline/aio by `python -m infra.client_code`: edit it there.
"""API keys: create, list, change and revoke them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hopline.models.keys import (
    Key,
    KeyCollections,
    KeyCreated,
    KeyList,
    KeyName,
    KeyPrincipals,
    KeyScopes,
)
from hopline.operation import operation
from hopline.sync.noun import Noun

_Id = Annotated[str, Field(description="The key's id, as in the list of keys.", examples=["0123456789ab"])]


class Keys(Noun):
    """API keys, for administrators whose own key is not limited to collections."""

    @operation("GET", "/v1/keys", right="admin")
    def list(self) -> KeyList:
        """List the API keys, oldest first."""
        raise NotImplementedError

    @operation("POST", "/v1/keys", right="admin")
    def create(
        self,
        name: KeyName,
        scopes: KeyScopes = ("submit",),
        *,
        collections: KeyCollections = None,
        principals: KeyPrincipals = None,
    ) -> KeyCreated:
        """Create an API key. Only this reply shows it, because only its hash is stored.

        After the first key is created, everybody needs one.

        Raises:
            InvalidInput: a value is not valid, or principals are given for a key with the scope admin.
        """
        raise NotImplementedError

    @operation("PATCH", "/v1/keys/{key_id}", right="admin", safe=True)
    def change(self, key_id: _Id, principals: KeyPrincipals) -> Key:
        """Change what a key sees, from its next request and the next step of its running jobs.

        Raises:
            NotFound: there is no such key.
            InvalidInput: a principal is not valid, or the key has the scope admin, which sees everything.
        """
        raise NotImplementedError

    @operation("DELETE", "/v1/keys/{key_id}", right="admin")
    def revoke(self, key_id: _Id) -> Key:
        """Revoke a key, which then stops working. A key cannot revoke itself.

        Returns:
            The revoked key.

        Raises:
            NotFound: there is no such key.
            StateConflict: it is the key that makes this request.
        """
        raise NotImplementedError
