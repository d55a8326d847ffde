"""Valid, invalid and generated requests, for tests that compare readers of HTTP."""

from hypothesis import strategies as st

# --- Real heads -----------------------------------------------------------------------------------

PET = '{"name":"Miso","categoryId":2}'


def raw(first: str, *fields: str, body: str = "") -> bytes:
    return ("\r\n".join([first, *fields, "", ""]) + body).encode("latin-1")


LIST = "GET /v1/pets?limit=20&status=available HTTP/1.1"
CREATE = "POST /v1/pets HTTP/1.1"
HOST = "Host: localhost:7387"
KEY = "Authorization: Bearer mockpets"

REAL = {
    "wrk": raw(LIST, HOST, KEY),
    "curl, a body": raw(
        *(CREATE, HOST, "User-Agent: curl/8.14.1", KEY, "Content-Type: application/json"),
        *("Accept: application/json", "Content-Length: 30"), body=PET),
    "curl, chunks": raw(
        *(CREATE, HOST, "Accept: */*", "Transfer-Encoding: chunked", "Expect: 100-continue"),
        body=f"1e\r\n{PET}\r\n0\r\n\r\n"),
    "curl, through a proxy": raw(
        "GET http://localhost:7387/v1/pets HTTP/1.1", HOST, "Proxy-Connection: Keep-Alive"),
    "Chromium": raw(
        *(LIST, HOST, "Connection: keep-alive", 'sec-ch-ua-platform: "Linux"', KEY),
        'sec-ch-ua: "Not:A-Brand";v="8", "Chromium";v="156"',
        *("Accept: */*", "Origin: http://localhost:5173", "Sec-Fetch-Mode: cors"),
        *("Accept-Encoding: gzip, deflate, br, zstd", "Cookie: theme=dark; session=a%20b")),
    "Chromium, a preflight": raw(
        *("OPTIONS /v1/pets HTTP/1.1", HOST, "Access-Control-Request-Method: POST"),
        "Access-Control-Request-Headers: authorization,content-type"),
    "Node": raw(
        *(CREATE, "host: localhost:7387", "authorization: Bearer mockpets"),
        *("content-type: application/json", "accept-language: *", "content-length: 30"), body=PET),
    "ab": raw("GET /v1/pets/%31?a=%31 HTTP/1.0", "Host: localhost:7387", "Connection: Keep-Alive"),
    "the server as a whole": raw("OPTIONS * HTTP/1.1", HOST),
    "a tunnel": raw("CONNECT localhost:80 HTTP/1.1", HOST),
    "all at once": b"\r\n"
        + raw(*("POST HTTPS://a:1//b%2fc/%zz?d?e=%20 HTTP/1.1", "hOST:[::1]:80 \t", "X:", "X: a"),
            *("x:\tb, c ", "X_Left_Out: d", "X-\x7c~!: \xa0\xe4\t\x85", "Accept: a", "ACCEPT: b"),
            "TRANSFER-encoding: Chunked",
            body='3;a;b=c;d="\\" \xff"\r\nabc\r\n00A\r\n0123456789\r\n0;e\r\nX: y\r\nZ:\r\n\r\n'),
}  # fmt: skip


# --- Rejected requests ----------------------------------------------------------------------------

LONG = "x" * 5000
CHUNKED = "Transfer-Encoding: chunked"


def chunks(body: str) -> bytes:
    return raw(CREATE, HOST, CHUNKED, body=body)


REQUEST_LINE = "Request line must have the form 'GET /path HTTP/1.1'"
HEADER = "Header must have the form 'Name: value'"
REJECTED = {
    "a space before": (b" " + raw(LIST, HOST), REQUEST_LINE),
    "a line of spaces before": (b" \r\n" + raw(LIST, HOST), REQUEST_LINE),
    "LF before": (b"\n" + raw(LIST, HOST), REQUEST_LINE),
    "white space alone": (b"\t\r\n\r\n", REQUEST_LINE),
    "a space after": (raw(f"{LIST} ", HOST), REQUEST_LINE),
    "a vertical tab after": (raw(f"{LIST}\x0b", HOST), REQUEST_LINE),
    "no version": (raw("GET /", HOST), REQUEST_LINE),
    "a method in lower case": (raw("get / HTTP/1.1", HOST), REQUEST_LINE),
    "a fragment": (raw("GET /a#b HTTP/1.1", HOST), REQUEST_LINE),
    "a tab": (raw("GET /\t/ HTTP/1.1", HOST), REQUEST_LINE),
    "Latin-1 after //": (raw("GET //\xe4 HTTP/1.1", HOST), REQUEST_LINE),
    "HTTP/2.0": (raw("GET / HTTP/2.0", HOST), "HTTP/2.0 is not supported"),
    "no slash": (raw("GET a HTTP/1.1", HOST), "Request target must begin with a slash"),
    "another scheme": (raw("GET ws://a/ HTTP/1.1", HOST), "Request target must begin with a slash"),
    "a user": (raw("GET http://me:abc@a/ HTTP/1.1", HOST), "Request target has a user name"),
    "no host in absolute form": (raw("GET http:///a HTTP/1.1", HOST),
        "Request target must have a host name"),
    "CONNECT with an asterisk": (raw("CONNECT * HTTP/1.1", HOST),
        "Request target must begin with a slash"),
    "1,001 parameters": (raw(f"GET /?{'a&' * 1000} HTTP/1.1", HOST),
        "the query has too many parameters"),
    "201 headers": (raw(LIST, HOST, *["A: b"] * 200), "the request has too many headers"),
    "no Host": (raw(LIST), "Host is missing"),
    "an empty Host": (raw(LIST, "Host:"), "Host must be a host name or an address"),
    "two as one Host": (raw(LIST, "Host: a, b"), "Host must be a host name or an address"),
    "two Hosts": (raw(LIST, HOST, "HOST: b"), "Host must be sent only once"),
    "two types": (raw(CREATE, HOST, "Content-Type: a", "Content-Type: a"),
        "Content-Type must be sent only once"),
    "two keys": (raw(LIST, HOST, KEY, KEY), "Authorization must be sent only once"),
    "a folded line": (raw(LIST, HOST, " :80"), HEADER),
    "a folded line with a tab": (raw(LIST, HOST, "A: b", "\tc"), HEADER),
    "a space before the colon": (raw(LIST, HOST, "A : b"), HEADER),
    "a name in Latin-1": (raw(LIST, HOST, "\xc4: b"), HEADER),
    "NUL in a name": (raw(LIST, HOST, "A\0: b"), HEADER),
    "DEL in a value": (raw(LIST, HOST, "A: b\x7f"), HEADER),
    "CR in a value": (raw(LIST, HOST, "A: b\rC: d"), HEADER),
    "LF in a value": (raw(LIST, HOST, "A: b\nC: d"), HEADER),
    "a length of 20 digits": (raw(CREATE, HOST, f"Content-Length: {1:020}", body="x"),
        "Request target or Content-Length is invalid"),
    "a length in superscript": (raw(CREATE, HOST, "Content-Length: \xb2"), "Content-Length"),
    "no-break space before": (raw(CREATE, HOST, "Content-Length: \xa05"), "Content-Length"),
    "lengths beside chunks": (raw(CREATE, HOST, "Content-Length: 5", "Content-Length: 5", CHUNKED,
        body="0\r\n\r\n"), "Content-Length must be sent only once"),
    "length and chunks": (raw(CREATE, HOST, "Content-Length: 5", CHUNKED, body="0\r\n\r\n"),
        "Send either Content-Length or Transfer-Encoding, not both"),
    "a length with an underscore": (raw(CREATE, HOST, "Content_Length: 5"),
        "Content_Length must have a hyphen instead of the underscore"),
    "a coding with an underscore": (raw(CREATE, HOST, "transfer_encoding: chunked"),
        "transfer_encoding must have a hyphen instead of the underscore"),
    "chunks in HTTP/1.0": (raw("POST / HTTP/1.0", CHUNKED),
        "HTTP/1.0 does not allow Transfer-Encoding"),
    "chunked twice": (raw(CREATE, HOST, CHUNKED, CHUNKED, body="0\r\n\r\n"),
        "Transfer-Encoding must be chunked, got"),
    "no coding": (raw(CREATE, HOST, "Transfer-Encoding:"),
        "Transfer-Encoding must be chunked, got"),
    "no-break space in a coding": (raw(CREATE, HOST, f"{CHUNKED}\xa0"), "Transfer-Encoding"),
    "another expectation": (raw(LIST, HOST, "Expect: 200-ok"), "Expect must be 100-continue, got"),
    "CONNECT with a length": (raw("CONNECT a:80 HTTP/1.1", HOST, "Content-Length: 5", body="GET /"),
        "CONNECT must not have a body"),
    "CONNECT with chunks": (raw("CONNECT a:80 HTTP/1.1", HOST, CHUNKED, body="0\r\n\r\n"),
        "CONNECT must not have a body"),
    "Upgrade with a length": (raw(CREATE, HOST, "Connection: Upgrade", "Upgrade: websocket",
        "Content-Length: 5", body="GET /"), "a request with Upgrade must not have a body"),
    "Upgrade with chunks": (raw(CREATE, HOST, "Connection: Upgrade", "Upgrade: h2c, a", CHUNKED,
        body="0\r\n\r\n"), "a request with Upgrade must not have a body"),
    "1,001 chunks": (chunks("1\r\na\r\n" * 1001 + "0\r\n\r\n"), "the body has too many chunks"),
    "101 trailers": (chunks("0\r\n" + "a:\r\n" * 101 + "\r\n"), "the body has too many trailers"),
    "a chunk too long": (chunks("1\r\nab\r\n0\r\n\r\n"), "Chunk must end with CRLF"),
    "LF after a size": (chunks("1\n\r\na\r\n0\r\n\r\n"), "Invalid chunk size"),
    "a line before a size": (chunks("\r\n1\r\na\r\n0\r\n\r\n"), "Invalid chunk size"),
    "a space after a size": (chunks("1 \r\na\r\n0\r\n\r\n"), "Invalid chunk size"),
    "a size of 16 digits": (chunks(f"{1:016}\r\na\r\n0\r\n\r\n"), "Invalid chunk size"),
    "LF after an extension": (chunks("1;a\n\r\na\r\n0\r\n\r\n"), "Invalid chunk extension"),
    "a space in an extension": (chunks("1;a; b\r\na\r\n0\r\n\r\n"), "Invalid chunk extension"),
    "a long extension": (chunks(f"1;{LONG}\r\na\r\n0\r\n\r\n"), "A line between chunks is longer"),
    "LF in a trailer": (chunks("0\r\nA: b\n\n\r\n\r\n"), "Invalid trailer"),
    "a space in a trailer": (chunks("0\r\nA : b\r\n\r\n"), "Invalid trailer"),
    "a folded trailer": (chunks("0\r\nA: b\r\n c\r\n\r\n"), "Invalid trailer"),
}  # fmt: skip
"""Requests, and how the message of their error begins."""

# --- Generated requests ---------------------------------------------------------------------------

BITS = [
    *(b"\r", b"\n", b"\r\n", b"\r\n\r\n", b" ", b"\t", b"\0", b"\x0b", b"\x0c", b"\x7f", b"\x85"),
    *(b"\xa0", b"\xe4", b"\xc3\xa4", b"_", b"-", b":", b",", b";", b"=", b'"', b"#", b"?", b"%"),
    *(b"//", b"/../", b"%2f", b"[", b"]", b"@", b"*", b"http://", b"https://a", b"0", b"1", b"f"),
    *(b"HTTP/1.0", b"HTTP/1.1", b"HTTP/0.9", b"GET ", b"\r\nHost: a", b"\r\n\r\n\r\n", b"\r\n "),
    *(b"\r\nContent-Length: 5", b"\r\nContent_Length: 5", b"\r\nContent-Length:", b"\r\nx_y: z"),
    *(b"\r\nTransfer-Encoding: chunked", b"\r\nTransfer-Encoding:", b", chunked", b"\r\nA: b"),
    *(b"\r\nConnection: Upgrade\r\nUpgrade: websocket", b"CONNECT a:1 "),
    *(b"\r\nConnection: close", b"\r\nExpect: 100-continue", b"\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
]
EDITS = st.lists(
    st.tuples(
        st.integers(0, 2000),  # position
        st.sampled_from([0, 0, 0, 1, 2, 12]),  # bytes to remove
        st.sampled_from(BITS) | st.binary(max_size=3),
    ),
    max_size=3,
)


def edited(request: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    for position, removed, inserted in edits:
        start = position % (len(request) + 1)
        request = request[:start] + inserted + request[start + removed :]
    return request


MUTATED = st.builds(
    edited, st.sampled_from([*REAL.values(), *(row[0] for row in REJECTED.values())]), EDITS
)
WORDS = st.text(st.sampled_from("aZ09-_~/?=&%:@.,;*"), max_size=8) | st.text(
    st.sampled_from("a/?#[] \t\x0b\xe4\xa0\x7f\"'"), max_size=4
)
NAMES = st.sampled_from(
    [
        *("A", "a", "X-A", "x_a", "Cookie", "Accept", "Connection", "Expect", "Host", "HOST"),
        *("Content-Length", "content-length", "Content_Length", "Transfer-Encoding", "Te", ""),
        *("Authorization", "Content-Type", "Content-Type ", "\xc4", "A\t", "X-Forwarded-For"),
        "Upgrade",
    ]
)
VALUES = st.sampled_from(
    [
        *("", "a", "3", " 3", "03", "+3", "3 ", "3, 3", "\xb2", "chunked", "Chunked"),
        *(" \tchunked\t", "chunked,", "gzip", "close", "keep-alive", "100-continue"),
        *("100-Continue", "a\r\n b", "h:1", "upgrade", "websocket"),
    ]
)
FIELDS = st.lists(
    st.builds("{}:{}{}".format, NAMES, st.sampled_from(["", " ", "\t "]), VALUES | WORDS),
    max_size=4,
)
LINES = st.builds(
    "{} {} HTTP/{}".format,
    st.sampled_from(["GET", "POST", "OPTIONS", "CONNECT", "HEAD", "M-X|", "get"]),
    st.builds(
        str.__add__,
        st.sampled_from(["/", "/", "//", "http://", "HTTPS://a", "http://[", "a:", "*", ""]),
        WORDS,
    ),
    st.sampled_from(["1.1", "1.1", "1.1", "1.0", "0.9", "1.1 ", "1", "2.0"]),
)
BODIES = st.sampled_from(
    [
        *("", "abc", "3\r\nabc\r\n0\r\n\r\n", "3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\n"),
        *("03\r\nabc\r\n00\r\n\r\n", "0\r\n\r\nGET", "3\r\nabcd", "-3\r\n", "g\r\n"),
        *("3 \r\nabc\r\n0\r\n", "0x3\r\nabc\r\n"),
    ]
)
BUILT = st.builds(
    lambda line, host, fields, body: raw(line, *host, *fields, body=body),
    LINES,
    st.sampled_from([[HOST], [HOST], ["host:a"], []]),
    FIELDS,
    BODIES,
)
