"""Certificates made on the spot, by an authority that lives as long as its directory."""

import os
import subprocess


def _openssl(*arguments):
    subprocess.run(["openssl", *arguments], capture_output=True, text=True, timeout=60, check=True)


class Authority:
    def __init__(self, directory, name):
        self.directory = os.path.join(directory, f"authority-{name}")
        os.makedirs(self.directory)
        self._new_key("ca")
        _openssl("req", "-x509", "-new", "-key", self.path("ca.key"), "-subj", f"/O=Test/CN={name}", "-days", "2",
                 "-out", self.path("ca.pem"))

    def path(self, name):
        return os.path.join(self.directory, name)

    def _new_key(self, name):
        _openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", self.path(f"{name}.key"))

    def issue(self, common_name):
        """Makes a certificate; returns the IceSSL properties of its owner."""
        self._new_key(common_name)
        request = self.path(f"{common_name}.csr")
        _openssl("req", "-new", "-key", self.path(f"{common_name}.key"), "-subj", f"/O=Test/CN={common_name}",
                 "-out", request)
        _openssl("x509", "-req", "-in", request, "-CA", self.path("ca.pem"), "-CAkey", self.path("ca.key"),
                 "-CAcreateserial", "-days", "2", "-out", self.path(f"{common_name}.pem"))
        return {
            **self.trust(),
            "IceSSL.CertFile": self.path(f"{common_name}.pem"),
            "IceSSL.KeyFile": self.path(f"{common_name}.key"),
        }

    @staticmethod
    def lock(key_file, password):
        """A copy of this key that is of use with the password only."""
        locked = f"{key_file}.locked"
        _openssl("pkey", "-in", key_file, "-aes256", "-passout", f"pass:{password}", "-out", locked)
        return locked

    def trust(self):
        """The properties of somebody who trusts this authority and has no certificate."""
        return {"Ice.Plugin.IceSSL": "IceSSL:createIceSSL", "IceSSL.CAs": self.path("ca.pem")}
