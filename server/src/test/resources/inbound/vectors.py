#!/usr/bin/env python3
"""Makes vectors.json: the signatures that need a key pair or a certificate, computed by the
Python package cryptography (OpenSSL), not by the code under test. Keys are new in each run.
Usage: python3 vectors.py > vectors.json"""
import base64, datetime, hashlib, json
from cryptography import x509
from cryptography.x509.oid import NameOID, AuthorityInformationAccessOID
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

YEARS = (datetime.datetime(2020, 1, 1), datetime.datetime(2120, 1, 1))
PAST = (datetime.datetime(2020, 1, 1), datetime.datetime(2021, 1, 1))
ISSUER_URL = "http://crt.rootca1.amazontrust.com/rootca1.cer"


def rsa_key():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def cert(cn, key, issuer_cn, issuer_key, ca, years=YEARS, aia=None, dns=None):
    name = lambda text: x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])
    builder = (x509.CertificateBuilder().subject_name(name(cn)).issuer_name(name(issuer_cn))
               .public_key(key.public_key()).serial_number(x509.random_serial_number())
               .not_valid_before(years[0]).not_valid_after(years[1])
               .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True))
    if aia:
        builder = builder.add_extension(x509.AuthorityInformationAccess([
            x509.AccessDescription(AuthorityInformationAccessOID.OCSP, x509.UniformResourceIdentifier("http://ocsp.rootca1.amazontrust.com")),
            x509.AccessDescription(AuthorityInformationAccessOID.CA_ISSUERS, x509.UniformResourceIdentifier(aia))]), critical=False)
    if dns:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(dns)]), critical=False)
    return builder.sign(issuer_key, hashes.SHA256())


def pem(certificate):
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


def sns(key, message, version):
    fields = (["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
              if message["Type"] == "Notification"
              else ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"])
    text = "".join(f + "\n" + message[f] + "\n" for f in fields if f in message)
    algorithm = hashes.SHA1() if version == "1" else hashes.SHA256()
    signature = key.sign(text.encode(), padding.PKCS1v15(), algorithm)
    return json.dumps({**message, "SignatureVersion": version,
                       "Signature": base64.b64encode(signature).decode()}, ensure_ascii=False)


def jwt(algorithm, sign):
    url = lambda b: base64.urlsafe_b64encode(b).rstrip(b"=").decode()
    claims = {"iss": "issuer-1", "aud": ["door"], "nbf": 1699999900, "exp": 1700000060}
    text = url(json.dumps({"alg": algorithm}).encode()) + "." + url(json.dumps(claims).encode())
    return text + "." + url(sign(text.encode()))


def spki(key):
    return key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()


root, middle, leaf, stranger = rsa_key(), rsa_key(), rsa_key(), rsa_key()
root_cert = cert("Test Root", root, "Test Root", root, True)
middle_cert = cert("Test Issuer", middle, "Test Root", root, True)
url = "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123abcd.pem"
notification = {"Type": "Notification", "MessageId": "m-1", "TopicArn": "arn:aws:sns:eu-west-1:123456789012:orders",
                "Subject": "größer", "Message": "{\"type\":\"order.paid\"}\nline", "Timestamp": "2023-11-14T22:13:20.000Z",
                "SigningCertURL": url}
plain = {k: v for k, v in notification.items() if k != "Subject"}
china = {**plain, "SigningCertURL": "https://sns.cn-north-1.amazonaws.com.cn/SimpleNotificationService-0123abcd.pem"}
confirmation = {"Type": "SubscriptionConfirmation", "MessageId": "m-2", "Token": "t-1",
                "TopicArn": notification["TopicArn"], "Message": "You have chosen to subscribe.",
                "SubscribeURL": "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=arn:aws:sns:eu-west-1:123456789012:orders&Token=t-1",
                "Timestamp": "2023-11-14T22:13:20.000Z", "SigningCertURL": url}
fingerprint = lambda c: hashlib.sha256(c.public_bytes(serialization.Encoding.DER)).hexdigest()
elliptic, jwt_rsa = ec.generate_private_key(ec.SECP256R1()), rsa_key()


def es256(text):
    r, s = decode_dss_signature(elliptic.sign(text, ec.ECDSA(hashes.SHA256())))
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


leaf_cert = cert("sns.amazonaws.com", leaf, "Test Issuer", middle, False, aia=ISSUER_URL)
print(json.dumps({
    "root": pem(root_cert), "issuer": pem(middle_cert), "leaf": pem(leaf_cert),
    "leafFingerprint": fingerprint(leaf_cert),
    "leafByAlternativeName": pem(cert("x", leaf, "Test Issuer", middle, False, aia=ISSUER_URL, dns="sns.cn-north-1.amazonaws.com.cn")),
    "expired": pem(cert("sns.amazonaws.com", leaf, "Test Issuer", middle, False, PAST, ISSUER_URL)),
    "otherName": pem(cert("sns.amazonaws.com.evil.example", leaf, "Test Issuer", middle, False, aia=ISSUER_URL)),
    "selfSigned": pem(cert("sns.amazonaws.com", stranger, "sns.amazonaws.com", stranger, False)),
    "forgedIssuer": pem(cert("sns.amazonaws.com", leaf, "Test Issuer", stranger, False, aia=ISSUER_URL)),
    "notificationV1": sns(leaf, notification, "1"), "notificationV2": sns(leaf, notification, "2"),
    "withoutSubject": sns(leaf, plain, "2"), "china": sns(leaf, china, "2"),
    "confirmation": sns(leaf, confirmation, "2"), "bySelfSigned": sns(stranger, notification, "2"),
    "jwtRs256": jwt("RS256", lambda t: jwt_rsa.sign(t, padding.PKCS1v15(), hashes.SHA256())),
    "jwtRsaKey": spki(jwt_rsa), "jwtEs256": jwt("ES256", es256), "jwtEcKey": spki(elliptic), "otherKey": spki(stranger),
}, indent=1, ensure_ascii=False))
