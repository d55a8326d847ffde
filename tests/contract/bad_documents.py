"""Documents that are not valid, with the problems that a person should see."""

START = "openapi: 3.1.0\npaths:\n"
A = START + "  /a:\n    get:\n"
RESPONSE = A + "      responses:\n        200:\n          "
SCHEMA = RESPONSE + "content: {application/json: {schema: SCHEMA}}\n"


def schema(text: str) -> str:
    return SCHEMA.replace("SCHEMA", text)


AT = "paths.'/a'.get"
MEDIA = f"{AT}.responses.200.content.'application/json'.schema"

BAD_DOCUMENTS: dict[str, tuple[str, list[str]]] = {
    # --- What the file is -----------------------------------------------------------------------
    "swagger": (
        "swagger: '2.0'\npaths: {}",
        [
            " is a Swagger 2.0 document; mockpets reads OpenAPI 3.0 and 3.1; convert it: npx "
            "swagger2openapi clinic.yaml -o openapi.yaml"
        ],
    ),
    "asyncapi": (
        "asyncapi: 3.0.0",
        [
            " is an AsyncAPI document, which describes messages, not HTTP requests; name an "
            "OpenAPI document"
        ],
    ),
    "postman": (
        '{"info": {"schema": "https://schema.getpostman.com/json/v2.1.0/"}, "item": []}',
        [
            " is a Postman collection, not an OpenAPI document; convert it: npx postman-to-openapi "
            "clinic.json openapi.yaml"
        ],
    ),
    "insomnia": (
        '{"_type": "export", "resources": []}',
        [" is an Insomnia export, not an OpenAPI document; export the design document instead"],
    ),
    "har": (
        '{"log": {"entries": [{}]}}',
        [" is a HAR file, not an OpenAPI document; use it with mockpets record --har"],
    ),
    "scenario": (
        "stubs: []",
        [" is a scenario, not an OpenAPI document; move it into the folder of --scenarios-dir"],
    ),
    "schema": (
        '{"$schema": "x", "type": "object"}',
        [" is a JSON Schema, not an OpenAPI document; name the document that describes paths"],
    ),
    "openapi-4": (
        "openapi: 4.0.0\npaths: {}",
        ['1:10: openapi: unknown version of OpenAPI "4.0.0"; mockpets reads 3.0 and 3.1'],
    ),
    "openapi-list": (
        "openapi: []",
        ["1:1: openapi: unknown version of OpenAPI a list; mockpets reads 3.0 and 3.1"],
    ),
    "no-openapi": (
        "info: {}",
        ["1:1: missing key 'openapi': is this an OpenAPI document?; add openapi: 3.1.0"],
    ),
    "opnapi": (
        "opnapi: 3.1.0",
        ["1:1: missing key 'openapi': is this an OpenAPI document?; rename 'opnapi' to 'openapi'"],
    ),
    "list": ("- a", [" is a list, not an OpenAPI document; check the path"]),
    "text": ("hello", [" is plain text, not an OpenAPI document; check the path"]),
    "number": ("5", [" is plain text, not an OpenAPI document; check the path"]),
    "html": (
        "\n<!DOCTYPE html><p>404",
        [" is HTML or XML, not YAML or JSON; download the file itself, not the page that shows it"],
    ),
    "empty": (" \n", [" is empty"]),
    "comment": ("# later\n", [" is empty"]),
    "no-paths": (
        "openapi: 3.1.0",
        ["1:1: has no paths, so there is nothing to serve; add paths: {/posts: {get: ...}}"],
    ),
    "pathz": (
        "openapi: 3.1.0\npathz: {/a: {}}",
        ["1:1: has no paths, so there is nothing to serve; rename 'pathz' to 'paths'"],
    ),
    "webhooks": (
        "openapi: 3.1.0\nwebhooks: {}",
        [
            "1:1: has webhooks but no paths, so there is nothing to serve; add paths: {/posts: "
            "{get: ...}}"
        ],
    ),
    "paths-list": (
        "openapi: 3.1.0\npaths: [/a]",
        ["2:1: paths: must be a mapping of paths, got a list"],
    ),
    "no-operations": (
        START + "  /a: {parameters: []}",
        ["2:1: paths: describes no operations; add one below a path: /posts: {get: ...}"],
    ),
    # --- Syntax ---------------------------------------------------------------------------------
    "json": (
        '{"openapi": "3.1.0",\n "paths": {,}}',
        ["2:12: is not valid JSON: expecting property name enclosed in double quotes"],
    ),
    "json-number": ('{"a": NaN}', ["1:7: 'NaN' is not a valid JSON number"]),
    "json-large": (
        '{"a": 1e999}',
        ["1:7: the number '1e999' is too large or too long; shorten it"],
    ),
    "json-surrogate": (
        '{"a": "\\ud800"}',
        ["1:7: U+D800 is half of a surrogate pair; write the complete character"],
    ),
    "json-surrogate-second": (
        '{"a": "\\ude00"}',
        ["1:7: U+DE00 is half of a surrogate pair; write the complete character"],
    ),
    "json-surrogate-twice": (
        '{"a": "\\ud83d\\ude00\\ude00"}',
        ["1:7: U+DE00 is half of a surrogate pair; write the complete character"],
    ),
    "json-surrogate-after-a-backslash": (
        '{"a": "\\\\ud83d\\ude00"}',
        ["1:7: U+DE00 is half of a surrogate pair; write the complete character"],
    ),
    "json-keys": (
        '{"a": {"b": 1,\n"b": {"c": 1, "c": 2}},\n"a": 3}',
        [
            "2:1: a: duplicate key 'b', first set on line 1; remove one of them",
            "2:15: a.b: duplicate key 'c', first set on line 2; remove one of them",
            "3:1: duplicate key 'a', first set on line 1; remove one of them",
        ],
    ),
    "yaml-keys": (
        "a: {b: 1}\nc:\n  - d: 1\n    d: {e: 1,\n      e: 2}\na: 3",
        [
            "4:5: c.1: duplicate key 'd', first set on line 3; remove one of them",
            "5:7: c.1.d: duplicate key 'e', first set on line 4; remove one of them",
            "6:1: duplicate key 'a', first set on line 1; remove one of them",
        ],
    ),
    "tab": ("a:\n\tb: 1", ["2:1: YAML does not allow a tab here; indent with spaces"]),
    "bracket": ("a: [1, 2", ["1:4: a bracket is never closed; add the closing bracket"]),
    "control": ("a: 1\nb: \x01", ["2:4: U+0001 is not allowed in YAML; remove it"]),
    "two-documents": (
        "a: 1\n---\nb: 1",
        ["2:1: a second document starts here; put each document into its own file"],
    ),
    "list-as-key": ("? [a]\n: b", ["1:3: a key must be a text, got a mapping or list"]),
    "yaml-large": ("a: 1e999", ["1:4: the number '1e999' is too large or too long; shorten it"]),
    "unknown-alias": ("a: &one 1\nb: *ones", ["2:4: unknown alias *ones; did you mean 'one'?"]),
    "recursive-alias": ("a: &a [*a]", ["1:8: the alias *a is inside its own anchor"]),
    "alias-as-key": ("a: &a {}\n*a : b", ["2:1: a key must be a text, but *a is not one"]),
    "merged-text": (
        "a: {<<: b}",
        [
            "1:9: a merge key ('<<') needs a mapping or a list of mappings; write an alias of a "
            "mapping"
        ],
    ),
    "alias-bomb": (
        "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9)),
        [
            "7:10: with its aliases, the file has more than 2000000 values; write fewer aliases of "
            "aliases"
        ],
    ),
    "alias-depth": (
        "a0: &a0 []\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 300)),
        ["200:14: is nested deeper than 200 levels"],
    ),
    "yaml-depth": ("- " * 300, ["1:401: is nested deeper than 200 levels"]),
    "json-depth": ('{"a":' * 300 + "1" + "}" * 300, ["1:1001: is nested deeper than 200 levels"]),
    "json-deeper": (
        '{"a":' * 90_000 + "1" + "}" * 90_000,
        ["1:1001: is nested deeper than 200 levels"],
    ),
    # --- Structure ------------------------------------------------------------------------------
    "no-slash": (
        START + "  a: {get: {}}",
        ["3:3: paths.a: the path 'a' must start with /; write /a"],
    ),
    "braces": (
        START + "  /a/{b: {get: {}}",
        ["3:3: paths.'/a/{b': the braces of the path '/a/{b' are not pairs; write {name}"],
    ),
    "item": (START + "  /a: 5", ["3:7: paths.'/a': must be a mapping of methods, got 5"]),
    "method": (START + "  /a: {Get: {}}", ["3:8: paths.'/a'.Get: unknown method 'Get'; write get"]),
    "operation": (
        START + "  /a: {get: [], put: text, post: , delete: 5}",
        [
            f"3:8: {AT}: must be an operation (a mapping), got a list",
            "3:22: paths.'/a'.put: must be an operation (a mapping), got \"text\"",
            "3:34: paths.'/a'.post: must be an operation (a mapping), got nothing",
            "3:44: paths.'/a'.delete: must be an operation (a mapping), got 5",
        ],
    ),
    "operation-id": (
        A + "      operationId: [a]",
        [f"5:7: {AT}.operationId: must be a string, got a list"],
    ),
    "parameters": (
        A + "      parameters: {name: a, in: query}",
        [
            f"5:7: {AT}.parameters: must be a list of parameters, got a mapping; write a list: - "
            "{name: limit, in: query}"
        ],
    ),
    "parameter": (
        A
        + "      parameters:\n"
        + "".join(
            f"        - {each}\n"
            for each in (
                *("a", "{in: query}", "{name: a}", "{name: a, in: qery}", "{name: a, in: body}"),
                *("{name: [], in: 5}", "{$ref: '#/components/parameters/limt'}"),
                *("{name: a, in: query, schema: integer}", "{name: a, in: query, content: []}"),
                "{name: 5, in: query, examples: []}",
            )
        )
        + "components: {parameters: {limit: {}}}",
        [
            f'6:11: {AT}.parameters.1: must be a parameter (a mapping), got "a"',
            f"7:11: {AT}.parameters.2: missing key 'name'; add it, such as name: limit",
            f"8:11: {AT}.parameters.3: missing key 'in'; add it, such as in: query",
            f'9:25: {AT}.parameters.4.in: must be path, query, header or cookie, got "qery"; '
            "did you mean 'query'?",
            f'10:25: {AT}.parameters.5.in: must be path, query, header or cookie, got "body"; '
            "that is Swagger 2.0; use requestBody",
            f"11:12: {AT}.parameters.6.name: must be a string, got a list",
            f"11:26: {AT}.parameters.6.in: must be a string, got 5",
            f"12:18: {AT}.parameters.7.$ref: the reference '#/components/parameters/limt' leads "
            "nowhere; did you mean '#/components/parameters/limit'?",
            f'13:40: {AT}.parameters.8.schema: must be a schema (a mapping), got "integer"; write '
            "{type: integer}",
        ],
    ),
    "body": (
        A + "      requestBody: []",
        [f"5:7: {AT}.requestBody: must be a mapping with content, got a list"],
    ),
    "content": (
        A + "      requestBody: {content: application/json}",
        [
            f"5:30: {AT}.requestBody.content: must be a mapping of media types, got "
            '"application/json"'
        ],
    ),
    "media": (
        RESPONSE + "content: {application/json: 5, text/plain: {encoding: []}}",
        [
            f"7:39: {AT}.responses.200.content.'application/json': must be a media object, got 5",
            f"7:55: {AT}.responses.200.content.'text/plain'.encoding: must be a mapping of "
            "properties, got a list",
        ],
    ),
    "responses": (
        A + "      responses: [200]",
        [f"5:7: {AT}.responses: must be a mapping of statuses to responses, got a list"],
    ),
    "response": (
        A + "      responses: {200: text, 2000: {}, 20: , defalt: {}, 600: {}, 201: []}",
        [
            f'5:24: {AT}.responses.200: must be a response (a mapping), got "text"; write '
            "{description: ...}",
            f"5:30: {AT}.responses.2000: must be a status such as 200 or 4XX, or default, got "
            "'2000'",
            f"5:44: {AT}.responses.20: must be a status such as 200 or 4XX, or default, got '20'",
            f"5:46: {AT}.responses.defalt: must be a status such as 200 or 4XX, or default, got "
            "'defalt'; did you mean 'default'?",
            f"5:58: {AT}.responses.600: must be a status such as 200 or 4XX, or default, got '600'",
            f"5:67: {AT}.responses.201: must be a response (a mapping), got a list",
        ],
    ),
    "headers": (
        RESPONSE + "headers: {X-A: 5, X-B: {$ref: '#/a'}}",
        [
            f"7:26: {AT}.responses.200.headers.X-A: must be a header, got 5",
            f"7:41: {AT}.responses.200.headers.X-B.$ref: the reference '#/a' leads nowhere",
        ],
    ),
    "security": (
        A + "      security: [key, {key: read}]\n"
        "components: {securitySchemes: {key: {in: header}}}\n",
        [
            f'5:18: {AT}.security.1: must be a mapping, got "key"; write key: []',
            f'5:29: {AT}.security.2.key: must be a list of scopes, got "read"; write []',
            "6:32: components.securitySchemes.key: missing key 'type'; add type: http, apiKey or "
            "oauth2",
        ],
    ),
    "security-mapping": (
        "openapi: 3.1.0\nsecurity: {key: []}\npaths: {/a: {get: {}, put: {}}}",
        ["2:1: security: must be a list of requirements, got a mapping; write - name: []"],
    ),
    # --- References -----------------------------------------------------------------------------
    "broken": (
        schema("{$ref: '#/components/schemas/Anmial'}") + "components: {schemas: {Animal: {}}}",
        [
            f"7:55: {MEDIA}.$ref: the reference '#/components/schemas/Anmial' leads nowhere; did "
            "you mean '#/components/schemas/Animal'?"
        ],
    ),
    "other-group": (
        schema("{items: {$ref: '#/definitions/a~1b'}}") + "components: {schemas: {a/b: {}}}",
        [
            f"7:63: {MEDIA}.items.$ref: the reference '#/definitions/a~1b' leads nowhere; did you "
            "mean '#/components/schemas/a~1b'?"
        ],
    ),
    "bare-name": (
        schema("{$ref: Animal}") + "components: {schemas: {Animal: {}}}",
        [
            f"7:55: {MEDIA}.$ref: the reference 'Animal' leads to a missing file; did you mean "
            "'#/components/schemas/Animal'?"
        ],
    ),
    "anchor": (
        schema("{$ref: '#Animal'}"),
        [
            f"7:55: {MEDIA}.$ref: the reference '#Animal' is not a path such as "
            "'#/components/schemas/X'"
        ],
    ),
    "network": (
        schema("{$ref: 'https://example.com/pet.yaml#/Pet'}"),
        [
            f"7:55: {MEDIA}.$ref: the reference 'https://example.com/pet.yaml#/Pet' leads to the "
            "network, which mockpets does not use; save that file beside clinic.yaml and refer to "
            "the copy"
        ],
    ),
    "itself": (
        schema("{$ref: '#/components/schemas/A'}")
        + "components: {schemas: {A: {$ref: '#/components/schemas/B'}, B: {$ref: "
        "'#/components/schemas/A'}}}",
        [
            f"7:55: {MEDIA}.$ref: the reference '#/components/schemas/A' leads only to other "
            "references; let one of them lead to a schema"
        ],
    ),
    "path-itself": (
        START + "  /a: {$ref: '#/paths/~1a'}",
        ["3:14: paths.'/a'.$ref: the reference '#/paths/~1a' leads only to other references"],
    ),
    "not-a-schema": (
        schema("{$ref: '#/openapi'}"),
        ['1:10: openapi: must be a schema (a mapping), got "3.1.0"'],
    ),
    "ref-list": (schema("{$ref: [a]}"), [f"7:49: {MEDIA}.$ref: must be a string, got a list"]),
    "mapping": (
        schema("{discriminator: {propertyName: kind, mapping: {cat: Caat, dog: 5}}}")
        + "components: {schemas: {Cat: {}}}",
        [
            f"7:100: {MEDIA}.discriminator.mapping.cat: the reference '#/components/schemas/Caat' "
            "leads nowhere; did you mean '#/components/schemas/Cat'?",
            f"7:111: {MEDIA}.discriminator.mapping.dog: must be a reference, got 5",
        ],
    ),
    # --- Schemas --------------------------------------------------------------------------------
    "properties": (
        schema("{properties: [a], allOf: {}, items: string, additionalProperties: 5}"),
        [
            f"7:49: {MEDIA}.properties: must be a mapping of names to schemas, got a list",
            f"7:66: {MEDIA}.allOf: must be a list of schemas, got a mapping; write allOf: [...]",
            f'7:84: {MEDIA}.items: must be a schema (a mapping), got "string"; write '
            "{type: string}",
            f"7:114: {MEDIA}.additionalProperties: must be a schema (a mapping), got 5",
        ],
    ),
    "property": (
        schema("{properties: {a: string, b: [], c: {anyOf: [text]}}}"),
        [
            f'7:65: {MEDIA}.properties.a: must be a schema (a mapping), got "string"; write '
            "{type: string}",
            f"7:73: {MEDIA}.properties.b: must be a schema (a mapping), got a list",
            f'7:92: {MEDIA}.properties.c.anyOf.1: must be a schema (a mapping), got "text"',
        ],
    ),
}

BAD_FILES: list[tuple[bytes, str]] = [
    ("openapi: 3.1.0".encode("utf-16"), " is UTF-16 or UTF-32; save it as UTF-8"),
    ("openapi: 3.1.0".encode("utf-16-le"), " is UTF-16 or UTF-32; save it as UTF-8"),
    (
        "openapi: 3.1.0\nx: café".encode("latin-1"),
        "2:7: the byte 0xE9 is not UTF-8; save it as UTF-8",
    ),
    (b"PK\x03\x04\xff", "1:5: the byte 0xFF is not UTF-8; save it as UTF-8"),
    (b"\xef\xbb\xbf", " is empty"),
    (b"", " is empty"),
]
