// Generated with openapi-typescript from the OpenAPI document of the control API
// (`mockpets openapi --control`). In a checkout of mockpets, this command writes it again:
// .venv/bin/python -m generate

export interface components {
    schemas: {
        /**
         * @description The active scenarios.
         *
         *     `notes` says which of their resources others hide, and which of their records requests have
         *     changed before.
         */
        Activated: {
            active: string[];
            notes?: string[];
        };
        /** @description The active scenarios; the first takes precedence. */
        ActiveScenarios: {
            active: string[];
        };
        /** @description The expected value, operators, or conditions on the properties of an object. */
        BodyMatch: (string | number | boolean | null | unknown[]) | components["schemas"]["BodyOperators"] | {
            [key: string]: components["schemas"]["BodyMatch"];
        };
        /** @description Operators; all of them must hold. */
        BodyOperators: {
            /** @description A JSON value: a single value or a list of single values. */
            equals?: string | number | boolean | null | unknown[];
            /** @description A single JSON value. */
            contains?: string | number | boolean | null;
            /** @description A glob for the whole value: * is any text, ? is any one character. */
            matches?: string;
            /** @description Whether the request has it. */
            present?: boolean;
            /** @description The value equals one of these. */
            one_of?: (string | number | boolean | null)[];
        };
        /** @description The calls: what they accept, and what they respond with. */
        Calls: {
            "GET /health": {
                response: components["schemas"]["Health"];
            };
            "GET /ready": {
                response: components["schemas"]["Health"];
            };
            "GET /openapi.json": {
                response: Record<string, unknown>;
                query?: {
                    /** @description Label of a contract, such as `blog` for blog.yaml; by default that of the first. */
                    contract?: string;
                };
            };
            "GET /control.openapi.json": {
                response: Record<string, unknown>;
                query?: {
                    /**
                     * @description Only the calls with this tag.
                     * @enum {string}
                     */
                    tag?: "server" | "sessions" | "scenarios" | "data" | "requests" | "gates";
                };
            };
            "GET /schema/scenario.json": {
                response: Record<string, unknown>;
            };
            "GET /contract": {
                response: components["schemas"]["ContractList"];
            };
            "GET /metrics": {
                response: string;
            };
            "GET /state": {
                response: components["schemas"]["State"];
            };
            "POST /reset": {
                response: components["schemas"]["ActiveScenarios"];
            };
            "GET /sessions": {
                response: components["schemas"]["SessionList"];
            };
            "DELETE /sessions": {
                response: components["schemas"]["DroppedSessions"];
                query?: {
                    /**
                     * @description How long the name stays closed, such as 60s; at most 1h. Requests that name it return 410, so a page that still polls does not recreate the session.
                     * @default 0s
                     */
                    closed?: string;
                };
            };
            "POST /sessions/reset": {
                response: components["schemas"]["ResetSessions"];
            };
            "GET /sessions/{name}": {
                response: components["schemas"]["SessionSummary"];
            };
            "PUT /sessions/{name}": {
                response: components["schemas"]["SessionSummary"];
                body?: components["schemas"]["SessionContents"];
            };
            "DELETE /sessions/{name}": {
                response: components["schemas"]["DroppedSession"];
                query?: {
                    /**
                     * @description How long the name stays closed, such as 60s; at most 1h. Requests that name it return 410, so a page that still polls does not recreate the session.
                     * @default 0s
                     */
                    closed?: string;
                };
            };
            "POST /sessions/{name}/undo": {
                response: components["schemas"]["Undone"];
            };
            "GET /sessions/{name}/export": {
                response: components["schemas"]["SessionExport"];
                query?: {
                    /** @description Whether to add the request log. */
                    log?: boolean;
                };
            };
            "PUT /sessions/{name}/export": {
                response: components["schemas"]["SessionSummary"];
                body?: components["schemas"]["SessionExport"];
            };
            "GET /clock": {
                response: components["schemas"]["ClockState"];
            };
            "PUT /clock": {
                response: components["schemas"]["ClockState"];
                body?: components["schemas"]["ClockChange"];
            };
            "GET /events": {
                response: components["schemas"]["Events"];
                query?: {
                    /**
                     * Format: int64
                     * @description The `change` of an earlier response; without it, the call responds at once.
                     */
                    since?: number;
                    /**
                     * Format: int64
                     * @description Seconds to wait for a change.
                     * @default 0
                     */
                    wait?: number;
                };
            };
            "POST /visitor/reset": {
                response: components["schemas"]["ActiveScenarios"];
            };
            "GET /scenarios": {
                response: components["schemas"]["ScenarioList"];
            };
            "GET /scenarios/{name}": {
                response: components["schemas"]["ScenarioDetails"];
            };
            "PUT /scenarios/{name}": {
                response: components["schemas"]["ScenarioDetails"];
                body?: components["schemas"]["ScenarioDocument"];
            };
            "POST /scenarios/check": {
                response: components["schemas"]["CheckedScenario"];
                query?: {
                    /**
                     * @description Name of the scenario.
                     * @default scenario
                     */
                    name?: string;
                };
                body?: components["schemas"]["ScenarioDocument"];
            };
            "PUT /overrides/{name}": {
                response: components["schemas"]["ScenarioDetails"];
                body?: components["schemas"]["ScenarioDocument"];
            };
            "DELETE /overrides/{name}": {
                response: components["schemas"]["ScenarioList"];
            };
            "PUT /scenario": {
                response: components["schemas"]["Activated"];
                body?: components["schemas"]["ScenarioSelection"];
            };
            "GET /data": {
                response: components["schemas"]["CollectionList"];
            };
            "GET /data/{name}": {
                response: components["schemas"]["RecordPage"];
                query?: {
                    /** @description Only records after the one with this ID: the `next` of the previous page. */
                    after?: string;
                    /**
                     * Format: int64
                     * @description Maximum number of records.
                     * @default 1000
                     */
                    limit?: number;
                } & {
                    [key: string]: unknown;
                };
            };
            "PUT /data/{name}": {
                response: components["schemas"]["Total"];
                body?: components["schemas"]["RecordsSource"];
            };
            "POST /data/{name}": {
                response: Record<string, unknown>;
                body?: components["schemas"]["DataRecord"];
            };
            "GET /data/{name}/{record}": {
                response: Record<string, unknown>;
            };
            "PATCH /data/{name}/{record}": {
                response: Record<string, unknown>;
                body?: components["schemas"]["DataRecord"];
            };
            "DELETE /data/{name}/{record}": {
                response: components["schemas"]["Total"];
            };
            "POST /login": {
                response: components["schemas"]["LoggedIn"];
                query?: {
                    /** @description Label of a contract, such as `blog` for blog.yaml, if several have a log-in. */
                    contract?: string;
                };
                body?: components["schemas"]["UserSelection"];
            };
            "GET /requests": {
                response: components["schemas"]["RequestList"];
                query?: {
                    /**
                     * Format: int64
                     * @description Maximum number of requests; the newest are returned. At most 1000.
                     * @default 100
                     */
                    limit?: number;
                    /** @description Only requests of this operation. */
                    operation?: components["schemas"]["Operation"];
                    /** @description Only requests with this method. */
                    method?: string;
                    /** @description Only this path, in which * matches any text. */
                    path?: string;
                    /** @description Only this status, such as 404, or this class of statuses, such as 4xx. A response that is not sent yet has no status. */
                    status?: number | string;
                    /** @description Only requests in which this stub took part: its label, in which * matches any text, or - for requests without a stub. */
                    stub?: string;
                    /** @description Only requests with this note. */
                    note?: components["schemas"]["NoteCode"];
                    /** @description Only requests with this outcome. */
                    outcome?: components["schemas"]["RequestOutcome"];
                    /**
                     * Format: int64
                     * @description Only requests with higher numbers.
                     */
                    since?: number;
                };
            };
            "DELETE /requests": {
                response: components["schemas"]["Cleared"];
            };
            "GET /requests/{number}": {
                response: components["schemas"]["RequestDetails"];
            };
            "GET /requests/{number}/explain": {
                response: components["schemas"]["Explanation"];
            };
            "POST /explain": {
                response: components["schemas"]["Explanation"];
                body?: components["schemas"]["RequestToExplain"];
            };
            "GET /requests/{number}/stub": {
                response: components["schemas"]["RecordedStub"];
                query?: {
                    /**
                     * Format: int64
                     * @description Respond with this status instead.
                     */
                    status?: number;
                    /**
                     * @description Break the response in this way instead.
                     * @enum {string}
                     */
                    fault?: "connection_reset" | "empty_reply" | "stall" | "truncated_body" | "malformed_json";
                    /** @description Hold the response of the operation at this gate. */
                    hold?: string;
                    /** @description Delay the response of the operation, such as 3s. */
                    delay?: string;
                    /**
                     * Format: int64
                     * @description Maximum number of requests to respond to.
                     */
                    times?: number;
                    /**
                     * @description Match the ids and dates of the request too.
                     * @enum {string}
                     */
                    exact?: "true";
                };
            };
            "POST /requests/{number}/stub": {
                response: components["schemas"]["StubInUse"];
                query?: {
                    /**
                     * Format: int64
                     * @description Respond with this status instead.
                     */
                    status?: number;
                    /**
                     * @description Break the response in this way instead.
                     * @enum {string}
                     */
                    fault?: "connection_reset" | "empty_reply" | "stall" | "truncated_body" | "malformed_json";
                    /** @description Hold the response of the operation at this gate. */
                    hold?: string;
                    /** @description Delay the response of the operation, such as 3s. */
                    delay?: string;
                    /**
                     * Format: int64
                     * @description Maximum number of requests to respond to.
                     */
                    times?: number;
                    /**
                     * @description Match the ids and dates of the request too.
                     * @enum {string}
                     */
                    exact?: "true";
                };
            };
            "DELETE /requests/{number}/stub": {
                response: components["schemas"]["DroppedStub"];
            };
            "POST /recording": {
                response: components["schemas"]["RecordingStarted"];
            };
            "GET /recording": {
                response: components["schemas"]["RecordedScenario"];
            };
            "GET /requests.har": {
                response: components["schemas"]["Har"];
                query?: {
                    /**
                     * Format: int64
                     * @description Maximum number of requests; the newest are returned. At most 1000.
                     * @default 100
                     */
                    limit?: number;
                    /** @description Only requests of this operation. */
                    operation?: components["schemas"]["Operation"];
                    /** @description Only requests with this method. */
                    method?: string;
                    /** @description Only this path, in which * matches any text. */
                    path?: string;
                    /** @description Only this status, such as 404, or this class of statuses, such as 4xx. A response that is not sent yet has no status. */
                    status?: number | string;
                    /** @description Only requests in which this stub took part: its label, in which * matches any text, or - for requests without a stub. */
                    stub?: string;
                    /** @description Only requests with this note. */
                    note?: components["schemas"]["NoteCode"];
                    /** @description Only requests with this outcome. */
                    outcome?: components["schemas"]["RequestOutcome"];
                    /**
                     * Format: int64
                     * @description Only requests with higher numbers.
                     */
                    since?: number;
                };
            };
            "POST /verify": {
                response: components["schemas"]["VerifiedRequests"];
                body?: components["schemas"]["Verification"];
            };
            "GET /findings": {
                response: components["schemas"]["Findings"];
            };
            "GET /held": {
                response: components["schemas"]["WaitingResponses"];
            };
            "POST /held/release": {
                response: components["schemas"]["ReleasedRequests"];
                body?: components["schemas"]["Release"];
            };
            "GET /gates": {
                response: components["schemas"]["GateCounts"];
            };
            "POST /gates/{name}/open": {
                response: components["schemas"]["OpenedGate"];
            };
            "POST /gates/{name}/wait": {
                response: components["schemas"]["HeldResponses"];
                body?: components["schemas"]["GateWait"];
            };
        };
        /** @enum {string} */
        Change: "requests" | "scenario" | "data" | "gates" | "sessions" | "files" | "origins" | "clock";
        CheckedScenario: {
            scenarios: string[];
            fixtures: string[];
            problems: components["schemas"]["InputProblem"][];
            warnings: components["schemas"]["InputProblem"][];
            stubs: number;
        };
        Cleared: {
            cleared: number;
        };
        /** @description What `mockpets report` finds; `limits` lists what could not be checked. */
        ClientReport: {
            version: string;
            title: string;
            summary: string;
            checked: string;
            limits: string[];
            rules: components["schemas"]["ReportRule"][];
            findings: components["schemas"]["ReportFinding"][];
        };
        /** @description A change to the clock of a session. */
        ClockChange: {
            /** @description Its new time (RFC 3339), or a date; null for the real time. */
            now?: string | null;
            /** @description Whether the clock stands still; by default unchanged, at first false. */
            frozen?: boolean;
            /** @description How far to move it, such as 90m or 30d. */
            advance?: string;
        };
        /** @description The clock of a session; `set` is false while it shows the real time. */
        ClockState: {
            now: string;
            frozen: boolean;
            set: boolean;
        };
        /**
         * @description A collection of a contract; `about` describes it in a few words.
         *
         *     Responses omit a `hidden` key. Its records belong to those of the collection `parent`, and have
         *     the parent's key in the property `link`. A `single` collection is one object. In an `open` one,
         *     every key exists. `people` can log in. `shows` is the collection whose records this one shows,
         *     and `owner` the property that identifies the user. References in `schema` point into
         *     `GET openapi.json`.
         */
        CollectionDescription: {
            name: string;
            key: string | null;
            hidden: boolean;
            parent: string | null;
            link: string | null;
            list: string | null;
            item: string | null;
            single: boolean;
            open: boolean;
            people: boolean;
            shows: string | null;
            owner: string | null;
            schema: components["schemas"]["DataRecord"];
            about: string;
        };
        /** @description The collections: those of the contracts, then those of the scenarios, by precedence. */
        CollectionList: {
            data: components["schemas"]["CollectionSummary"][];
        };
        /**
         * @description A collection of the contract, or of an active scenario.
         *
         *     `scenario` is the scenario that defines it, and `content_of` the one whose data it has; null
         *     without one. `id` is the property that identifies a record. `changed` is true if a client has
         *     changed records. `hidden_by` is the active scenario that serves the same path in its place, or
         *     null.
         */
        CollectionSummary: {
            name: string;
            scenario: string | null;
            path: string;
            id: string;
            total: number;
            changed: boolean;
            content_of: string | null;
            hidden_by: string | null;
        };
        /** @description A condition; `holds` is null if the log lacks the value: a secret, or the end of a body. */
        ComparedCondition: {
            where: string;
            expected: string;
            got: string;
            holds: boolean | null;
        };
        /** @description A collection of a contract; `lists` has the operations that list its records. */
        ContractCollection: {
            name: string;
            path: string;
            lists: components["schemas"]["Operation"][];
        };
        /** @description A contract, and what was inferred from its document; see also `ContractSummary`. */
        ContractDescription: {
            file: string;
            title: string;
            version: string;
            label: string;
            base: string;
            operations: components["schemas"]["OperationDescription"][];
            collections: components["schemas"]["CollectionDescription"][];
            notes: components["schemas"]["ContractNote"][];
            share: components["schemas"]["ContractShare"];
        };
        ContractList: {
            contracts: components["schemas"]["ContractDescription"][];
        };
        /** @description A part of a document that is not served or enforced, or a likely mistake. */
        ContractNote: {
            /** @enum {string} */
            kind: "operation" | "part" | "keyword" | "warning";
            what: string;
            file: string;
            line: number;
            column: number;
        };
        /** @description How many operations have state, respond with an example, and are not served. */
        ContractShare: {
            state: number;
            example: number;
            not_served: number;
        };
        /**
         * @description A contract that the server serves; `label` selects it in `GET openapi.json`.
         *
         *     `base` is the path before those of its operations, empty for the root. `errors` maps statuses to
         *     error codes.
         */
        ContractSummary: {
            title: string;
            label: string;
            base: string;
            collections: components["schemas"]["ContractCollection"][];
            errors: {
                [key: string]: components["schemas"]["ErrorCode"];
            };
        };
        /** @description A record: an object with any properties. */
        DataRecord: {
            [key: string]: unknown;
        };
        /** @description Delay of each response, such as 300ms, 2s or 1m, at most 60s; or a random delay. */
        Delay: string | (components["schemas"]["DelayRange"] | components["schemas"]["DelayPercentiles"]);
        /** @description A random delay, distributed as in real networks (log-normal). */
        DelayPercentiles: {
            /** @description The median delay. */
            p50: string;
            /** @description The 95th percentile: one delay in twenty is longer. */
            p95: string;
        };
        /** @description A random delay, evenly distributed. */
        DelayRange: {
            /** @description The shortest delay. */
            min: string;
            /** @description The longest delay. */
            max: string;
        };
        Difference: {
            where: string;
            expected: string;
            got: string;
        };
        DroppedSession: {
            dropped: string;
            id: string;
        };
        DroppedSessions: {
            dropped: number;
        };
        DroppedStub: {
            active: string[];
            dropped: string;
        };
        /**
         * @description A setting with its current value, in seconds or bytes; secrets are redacted.
         *
         *     `source` is an option, a variable, a line of a file, `default`, or `code`.
         */
        EffectiveSetting: {
            name: string;
            value: string | number | boolean | string[] | null;
            source: string;
        };
        /** @description The body of an error: the Error of the contract, with `details` if there are any. */
        Error: {
            code: components["schemas"]["ErrorCode"];
            message: string;
            status: number;
            details?: components["schemas"]["InvalidInputDetails"] | components["schemas"]["VerificationDetails"] | components["schemas"]["HeldResponses"];
        };
        /** @enum {string} */
        ErrorCode: "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "request_timeout" | "verification_failed" | "not_held" | "conflict" | "session_dropped" | "gone" | "payload_too_large" | "expectation_failed" | "invalid_scenario" | "invalid_session" | "session_required" | "unknown_header" | "unknown_scenario" | "unknown_session" | "rate_limited" | "headers_too_large" | "internal_error" | "not_described" | "not_implemented" | "busy" | "stopping" | "http_version_not_supported" | "store_full" | "pet_not_found";
        /** @description An error of the contract, or on a path outside the contract an error that resources send. */
        ErrorReply: {
            /** @description The error code, which sets the status. */
            error: string;
            /** @description Message of the error, instead of the default. */
            message?: string;
        };
        /** @description What changed, and the `since` of the next call; `resets` is null without a session. */
        Events: {
            change: number;
            resets: number | null;
            changed: components["schemas"]["Change"][];
        };
        /**
         * @description What a stub did with a request; `reason` describes the result.
         *
         *     `result` is `responds`, `applies` (it only delays, throttles or holds), `no_match`,
         *     `not_reached` (an earlier stub responded), or the limit that stopped it; `sequence` if its
         *     replies are used up. Before this request, it had skipped `passed` requests because of `after`,
         *     and had applied to `used` requests; both are null if it does not match. It applies if the random
         *     number `draw` is below `probability`.
         */
        ExplainedStub: {
            label: string;
            scenario: string;
            when: string;
            does: string;
            limits: string;
            result: components["schemas"]["StubResult"];
            reason: string;
            conditions: components["schemas"]["ComparedCondition"][];
            after: number;
            times: number | null;
            passed: number | null;
            used: number | null;
            probability: number;
            draw: number | null;
        };
        /**
         * @description Why a request gets its response, in one sentence (`summary`) and by stub.
         *
         *     `sent` is false for a request that was not sent; its `number` is the one that it would get.
         *     `stub` is the stub that responded, and `nearest` the one that came nearest to a match. `seed` is
         *     the seed of the random numbers. `stubs` lists at most 100 stubs in the order in which they were
         *     tried, and `omitted` counts the others.
         */
        Explanation: {
            request: components["schemas"]["RequestSummary"];
            sent: boolean;
            by: components["schemas"]["Responder"];
            summary: string;
            stub: string | null;
            nearest: string | null;
            seed: number;
            stubs: components["schemas"]["ExplainedStub"][];
            omitted: number;
        };
        /** @description The requests that `after` skipped, and those to which the stub applied. */
        ExportedCount: {
            /** @description A number of requests. */
            passed: number;
            /** @description A number of requests. */
            used: number;
        };
        /** @description The records of a collection that differ from its initial ones. */
        ExportedRecords: {
            /** @description The collection, or SCENARIO.NAME. */
            collection: string;
            /** @description The scenario that provides its records; null for the session's own records. */
            scenario?: string | null;
            /** @description The next ID, or the number of the next UUID. */
            next: number;
            /** @description The records, in order. */
            records: unknown[];
        };
        /**
         * @description How the response breaks: connection_reset breaks the connection; empty_reply closes the connection without a response; stall sends the headers, then nothing more; truncated_body closes the connection in the middle of the body; malformed_json damages the JSON of the body.
         * @enum {string}
         */
        Fault: "connection_reset" | "empty_reply" | "stall" | "truncated_body" | "malformed_json";
        /** @description A broken response within a sequence. */
        FaultReply: {
            fault: components["schemas"]["Fault"];
        };
        Findings: {
            report: components["schemas"]["ClientReport"];
        };
        /** @description The number of responses held at each gate. */
        GateCounts: {
            gates: {
                [key: string]: number;
            };
        };
        /** @description The responses that a test expects to be held at a gate. */
        GateWait: {
            /** @description Minimum number of held responses; by default, 1. */
            held?: number;
            /** @description How long to wait, such as 5s; at most 30s. By default, 5s. */
            within?: string;
        };
        /** @description Records to generate. */
        GeneratedRecords: {
            /** @description The number of records to generate. */
            count: number;
            /** @description Seed for the generated records; by default, the server's seed. */
            seed?: number;
            /**
             * @description Locale of the generated names; by default, the server's locale.
             * @enum {string}
             */
            locale?: "en_US" | "en_GB" | "de_DE" | "fr_FR" | "es_ES" | "it_IT" | "nl_NL" | "pl_PL" | "pt_BR" | "sv_SE" | "ja_JP" | "zh_CN" | "ko_KR" | "ar_SA" | "he_IL";
        };
        Har: {
            log: components["schemas"]["HarLog"];
        };
        /** @description See http://www.softwareishard.com/blog/har-12-spec/; `_mockpets` is a `RequestSummary`. */
        HarLog: {
            /** @enum {string} */
            version: "1.2";
            creator: {
                [key: string]: string;
            };
            entries: components["schemas"]["DataRecord"][];
        };
        /**
         * @description The version of a server that is alive, with its commit if it is known.
         *
         *     Clients with another `protocol` fail. `bases` has the base path of each contract, empty for the
         *     root.
         */
        Health: {
            /** @enum {string} */
            status: "ok";
            version: string;
            protocol: number;
            bases: string[];
        };
        HeldResponses: {
            held: number;
        };
        /** @description A problem in a body; line and column start at 1 and are 0 if unknown. */
        InputProblem: {
            file: string;
            line: number;
            column: number;
            where: string;
            what: string;
            hint: string;
        };
        InvalidInputDetails: {
            problems: components["schemas"]["InputProblem"][];
        };
        /**
         * @description What an app has once a user has logged in; `key` is the ID of the `user`.
         *
         *     `headers` identify the user in requests; they are empty if the token is sent in the query.
         *     `cookie` is null if logging in sets no cookie.
         */
        LoggedIn: {
            user: components["schemas"]["DataRecord"];
            token: string;
            headers: {
                [key: string]: string;
            };
            cookie: components["schemas"]["LoginCookie"] | null;
            collection: string;
            key: number | string;
        };
        LoginCookie: {
            name: string;
            value: string;
        };
        /** @description The requests that the stub applies to; all conditions must hold. By default, every request to /v1. */
        Match: {
            /** @description One or more operations of the contract. */
            operation?: components["schemas"]["Operation"] | components["schemas"]["Operation"][];
            /** @description What the operation does to its records. */
            role?: components["schemas"]["Role"] | components["schemas"]["Role"][];
            /** @description The HTTP method, with path. For requests that are not in the contract. */
            method?: string;
            /** @description The decoded path, with method. A segment * or {name} matches any one segment. */
            path?: string;
            /** @description Parameters of the operation's path: name to condition. */
            params?: {
                [key: string]: components["schemas"]["TextMatch"];
            };
            /** @description Query parameters: name to condition. */
            query?: {
                [key: string]: components["schemas"]["TextMatch"];
            };
            /** @description Request headers: name, in any case, to condition. */
            headers?: {
                [key: string]: components["schemas"]["TextMatch"];
            };
            /** @description Properties of a JSON body: name to condition. */
            body?: {
                [key: string]: components["schemas"]["BodyMatch"];
            };
        };
        NearestRequest: {
            request: components["schemas"]["RequestSummary"];
            differences: components["schemas"]["Difference"][];
        };
        /** @enum {string} */
        NoteCode: "clock" | "deprecated" | "ignored_cookie" | "ignored_headers" | "ignored_members" | "ignored_query" | "key_invalid" | "key_missing" | "limit_out_of_range" | "off_contract" | "reference_missing" | "references" | "released" | "repeated" | "resource" | "server_limit" | "unmatched";
        /** @description The number of responses that opening a gate released, and those still held. */
        OpenedGate: {
            gates: {
                [key: string]: number;
            };
            released: number;
        };
        /** @description The name of an operation. */
        Operation: string;
        /**
         * @description What an operation of a contract does; `path` begins after the base path.
         *
         *     `states` lists what expressions such as `getPet:404` can select. `envelope` has the keys that
         *     lead to the records in a response's body, and `body_envelope` those in a request's. `paging`
         *     gives the meanings of the properties beside a list, `where` the values that its records must
         *     have, and `sets` what a request changes. `values` is the property whose distinct values a list
         *     returns. `many` is true if a request can be about several records, `view` if a list is only a
         *     part of the collection, and `mine` if it has only the caller's records. `note` describes what
         *     mockpets did not understand. `does` describes all of this in phrases, the role first.
         */
        OperationDescription: {
            name: string;
            method: string;
            path: string;
            /** @enum {string} */
            state: "state" | "example" | "not_served";
            role: string;
            collection: string | null;
            rule: string | null;
            envelope: string[];
            body_envelope: string[];
            states: string[];
            key: components["schemas"]["OperationKey"] | null;
            query: {
                [key: string]: components["schemas"]["QueryMeaning"];
            };
            paging: {
                [key: string]: string;
            };
            where: components["schemas"]["DataRecord"];
            sets: components["schemas"]["DataRecord"];
            values: string | null;
            many: boolean;
            view: boolean;
            mine: boolean;
            sort: string | null;
            note: string | null;
            does: string[];
        };
        /** @description Where a request has a record's key: `path`, `query`, `body` or `token` (no name). */
        OperationKey: {
            name: string | null;
            place: string;
        };
        /** @description A list of these records, filtered and limited by the query. A page that needs off_contract: true is sent whole. */
        PageReply: {
            /** @description Records, or the name of a fixture; the query of the request applies. */
            page: string | {
                [key: string]: unknown;
            }[];
        };
        /** @description What a query parameter means: `page`, `equal` to a property, `ignored` or another. */
        QueryMeaning: {
            means: string;
            property: string | null;
        };
        /** @description Records in order; `total` counts all that match. `next` is null on the last page. */
        RecordPage: {
            name: string;
            scenario: string | null;
            path: string;
            id: string;
            total: number;
            changed: boolean;
            content_of: string | null;
            hidden_by: string | null;
            next: string | null;
            records: components["schemas"]["DataRecord"][];
        };
        /** @description A body of `size` bytes; `text` is cut if it is too long, and in base64 if not UTF-8. */
        RecordedBody: {
            size: number;
            text: string;
            base64: boolean;
            cut: boolean;
        };
        /** @description A recorded request or response; headers are pairs of name and value, in order. */
        RecordedMessage: {
            headers: string[][];
            body: components["schemas"]["RecordedBody"];
        };
        /** @description A scenario file that reproduces a recording; `notes` lists what it does not, and why. */
        RecordedScenario: {
            yaml: string;
            requests: number;
            stubs: number;
            notes: string[];
        };
        /**
         * @description A stub that responds to requests like a recorded one; `yaml` is a scenario file with it.
         *
         *     `matches` lists the requests of the log to which it would have responded, and `notes` the
         *     secrets that were removed. `stub` is null if the file has a resource instead: the log shows a
         *     POST and then a GET of an unknown collection.
         */
        RecordedStub: {
            scenario: string;
            stub: components["schemas"]["DataRecord"] | null;
            yaml: string;
            matches: number[];
            notes: string[];
        };
        /** @description The number of the last request before the recording, and the number of saved records. */
        RecordingStarted: {
            after: number;
            records: number;
        };
        /** @description Records of a collection that a scenario defines: a list, or the name of a fixture. */
        RecordsContent: string | {
            [key: string]: unknown;
        }[] | {
            /** @description The records, each a JSON object. */
            records: {
                [key: string]: unknown;
            }[];
        };
        /** @description The contents of a collection: a list of records, the name of a fixture, a number of records to generate, what to generate, or an object with `records`. */
        RecordsSource: string | {
            [key: string]: unknown;
        }[] | number | (components["schemas"]["GeneratedRecords"] | {
            /** @description The records, each a JSON object. */
            records: {
                [key: string]: unknown;
            }[];
        });
        /** @description The responses to release, and what to send in their place. */
        Release: {
            /** @description The numbers of their requests. */
            requests: number[];
            /** @description The response to send; by default the prepared one. */
            reply?: "pass" | (components["schemas"]["ErrorReply"] | components["schemas"]["StatusReply"] | components["schemas"]["PageReply"] | components["schemas"]["FaultReply"]);
            /** @description How long each waits before it is sent, such as 3s. */
            delay?: string | (components["schemas"]["DelayRange"] | components["schemas"]["DelayPercentiles"]);
        };
        ReleasedRequests: {
            released: number[];
        };
        /** @enum {string} */
        Removal: "reset" | "clear" | "delete";
        /**
         * @description After the last reply: last repeats it, cycle starts over, none leaves requests to later stubs and the operation.
         * @enum {string}
         */
        Repeat: "last" | "cycle" | "none";
        /** @description The response: a canned one, or pass to let the real operation respond. */
        Reply: "pass" | (components["schemas"]["ErrorReply"] | components["schemas"]["StatusReply"] | components["schemas"]["PageReply"]);
        /** @description Response headers: name to value. The server adds a Content-Type if it is missing. */
        ReplyHeaders: {
            [key: string]: string | number;
        };
        ReportEvidence: {
            request: string;
            response: string;
            number: number | null;
            at: string;
            detail: string;
        };
        ReportFinding: {
            rule: string;
            message: string;
            source: string;
            evidence: components["schemas"]["ReportEvidence"][];
            file: string | null;
        };
        ReportRule: {
            name: string;
            level: string;
            title: string;
            explanation: string;
            fix: string;
        };
        /** @description A recorded request with headers and bodies, secrets redacted. */
        RequestDetails: {
            number: number;
            at: string;
            session: string;
            method: string;
            target: string;
            path: string;
            operation: components["schemas"]["Operation"] | null;
            status: number | null;
            outcome: components["schemas"]["RequestOutcome"];
            scenarios: string[];
            stubs: string[];
            fault: components["schemas"]["Fault"] | null;
            off_contract: string | null;
            app_ms: number;
            delay_ms: number;
            held_ms: number | null;
            total_ms: number | null;
            waits: components["schemas"]["WaitKind"] | null;
            hold: string | null;
            throttle: number | null;
            notes: components["schemas"]["RequestNote"][];
            request: components["schemas"]["RecordedMessage"];
            response: components["schemas"]["RecordedMessage"];
        };
        /** @description The filters of the request log, all of which a request must pass. */
        RequestFilters: {
            /**
             * Format: int64
             * @description Maximum number of requests; the newest are returned. At most 1000.
             * @default 100
             */
            limit?: number;
            /** @description Only requests of this operation. */
            operation?: components["schemas"]["Operation"];
            /** @description Only requests with this method. */
            method?: string;
            /** @description Only this path, in which * matches any text. */
            path?: string;
            /** @description Only this status, such as 404, or this class of statuses, such as 4xx. A response that is not sent yet has no status. */
            status?: number | string;
            /** @description Only requests in which this stub took part: its label, in which * matches any text, or - for requests without a stub. */
            stub?: string;
            /** @description Only requests with this note. */
            note?: components["schemas"]["NoteCode"];
            /** @description Only requests with this outcome. */
            outcome?: components["schemas"]["RequestOutcome"];
            /**
             * Format: int64
             * @description Only requests with higher numbers.
             */
            since?: number;
        };
        /**
         * @description Recorded requests, oldest first; `last` is the highest number so far.
         *
         *     `total` counts all that match the filters, and `dropped` those removed to make room for newer
         *     ones.
         */
        RequestList: {
            requests: components["schemas"]["RequestSummary"][];
            total: number;
            dropped: number;
            last: number;
            resets: number;
            change: number;
        };
        RequestNote: {
            code: components["schemas"]["NoteCode"];
            text: string;
        };
        /**
         * @description An outcome.
         * @enum {string}
         */
        RequestOutcome: "pending" | "sent" | "client_left" | "broken";
        /**
         * @description A recorded request; times are in milliseconds, and `throttle` is in bytes per second.
         *
         *     `status` is null if the connection was broken instead. `outcome` is `pending` until the last
         *     byte of the response was handed to the operating system, then `sent`. It is `client_left` if
         *     the client ended the connection before that, and `broken` if mockpets did: because of a fault,
         *     a limit or a shutdown. `hold` is a gate, and `held_ms` how long it has held the response so far.
         *     `total_ms` is the time from the arrival of the request to the end of the response.
         *     `off_contract` is the reason why the contract does not list the response. `waits` is what a
         *     pending response waits for, or what it waited for when the client left. Each is null if it does
         *     not apply.
         */
        RequestSummary: {
            number: number;
            at: string;
            session: string;
            method: string;
            target: string;
            path: string;
            operation: components["schemas"]["Operation"] | null;
            status: number | null;
            outcome: components["schemas"]["RequestOutcome"];
            scenarios: string[];
            stubs: string[];
            fault: components["schemas"]["Fault"] | null;
            off_contract: string | null;
            app_ms: number;
            delay_ms: number;
            held_ms: number | null;
            total_ms: number | null;
            waits: components["schemas"]["WaitKind"] | null;
            hold: string | null;
            throttle: number | null;
            notes: components["schemas"]["RequestNote"][];
        };
        /** @description A request to explain without sending it. */
        RequestToExplain: {
            /** @description The method, such as GET. */
            method: string;
            /** @description Path and query, such as /v1/items?limit=5. */
            path: string;
            /** @description The headers by name; see also `key`. */
            headers?: {
                [key: string]: string;
            };
            /** @description An API key, sent where the operation needs one, unless the request has one there. Without it, a request has only the credentials in its headers, path and query. */
            key?: string;
            /** @description The body, sent as JSON. */
            body?: string | number | boolean | null | unknown[] | {
                [key: string]: unknown;
            };
            draft?: components["schemas"]["ScenarioDraft"];
        };
        ResetSessions: {
            reset: number;
        };
        /** @description A collection of records that clients can list, add, change and delete. */
        Resource: {
            /** @description Path of the list, outside the contract. A record is one segment below it. */
            path: string;
            /** @description Name of the ID property, by default id. */
            id?: string;
            /** @description Properties that each record must have. */
            required?: string[];
            /** @description Properties with an index, for fast filters. Other properties are filters, too. */
            filters?: string[];
            /** @description What clients may do: list, create, get, replace, update, delete. By default, all of these. */
            only?: ("list" | "create" | "get" | "replace" | "update" | "delete")[];
            /** @description Name in the control API. By default, the path's last segment. */
            name?: string;
        };
        /** @enum {string} */
        Responder: "stub" | "operation" | "resource" | "check";
        /**
         * @description A role.
         * @enum {string}
         */
        Role: "list" | "create" | "get" | "replace" | "update" | "delete";
        /**
         * @description A scenario in full; `stubs` also lists those of the scenarios that it extends, after its own.
         *
         *     `text` is null if the file can no longer be read. `override` is true if only this session uses
         *     the text (`PUT overrides/NAME`). These are reasons, or null: `disabled`, why the server does not
         *     allow what a stub does; `unreached`, why the scenario has affected no recorded request;
         *     `read_only`, why the file cannot be saved. `digest` is that of the file, and `path` the path of
         *     your own file; null otherwise.
         */
        ScenarioDetails: {
            name: string;
            group: components["schemas"]["ScenarioGroup"];
            description: string | null;
            source: string;
            replaces: string[];
            extends: string[];
            inline: boolean;
            problems: string[];
            text: string | null;
            data: {
                [key: string]: string;
            };
            stubs: components["schemas"]["StubDescription"][];
            override: boolean;
            disabled: string | null;
            unreached: string | null;
            digest: string | null;
            path: string | null;
            writable: boolean;
            read_only: string | null;
        };
        /** @description A mockpets scenario: data, stubs that change responses, and resources. */
        ScenarioDocument: {
            /** @description Name of the scenario. */
            name?: string;
            /** @description URL of this schema, for editors; mockpets ignores it. */
            $schema?: string;
            /** @description One line that describes the scenario. */
            description?: string;
            /**
             * @description Heading in lists of scenarios. By default, Your own.
             * @enum {string}
             */
            group?: "Empty states" | "Data" | "Authentication" | "Errors" | "Temporary failures" | "Missing records" | "Slow responses" | "Broken responses" | "Outside the contract";
            /** @description Scenarios whose stubs follow this scenario's stubs, in this order. */
            extends?: string | string[];
            /** @description The records of collections by name; * means every collection. Other collections keep the records of the session. */
            data?: {
                /** @description Empties every collection. */
                "*"?: unknown[];
            } & {
                [key: string]: components["schemas"]["RecordsContent"];
            };
            /** @description Stubs, checked in order; the first one that responds ends the search. */
            stubs?: components["schemas"]["Stub"][];
            /** @description Collections that keep what clients send, at paths outside the contract. */
            resources?: components["schemas"]["Resource"][];
        };
        /** @description A scenario file that is not saved, to use in place of the scenario of its name. */
        ScenarioDraft: {
            /** @description Name of the scenario. */
            name: string;
            /** @description The content of the file. */
            text: string;
        };
        /** @enum {string} */
        ScenarioGroup: "Your own" | "Files with problems" | "Empty states" | "Data" | "Authentication" | "Errors" | "Temporary failures" | "Missing records" | "Slow responses" | "Broken responses" | "Outside the contract";
        /**
         * @description All scenarios of a session, by group and name, and the active ones.
         *
         *     `skipped` gives the reasons why shipped scenarios do not fit the contracts. `folder_problems`
         *     lists the reasons why the server cannot reload the files, such as two files with the same name
         *     in a folder.
         */
        ScenarioList: {
            active: string[];
            scenarios: components["schemas"]["ScenarioSummary"][];
            skipped: {
                [key: string]: string;
            };
            folder_problems: string[];
        };
        /** @description The scenarios to activate. */
        ScenarioSelection: {
            /** @description A scenario name, a scenario document, or a list of them. */
            scenario: string | components["schemas"]["ScenarioDocument"] | (string | components["schemas"]["ScenarioDocument"])[];
        };
        /**
         * @description A scenario in a list, with the number of its stubs.
         *
         *     `description` is null when the file is invalid and has no earlier valid version. `source` is the
         *     file as a user names it, and `replaces` lists the files it overrides.
         */
        ScenarioSummary: {
            name: string;
            group: components["schemas"]["ScenarioGroup"];
            description: string | null;
            source: string;
            replaces: string[];
            extends: string[];
            inline: boolean;
            problems: string[];
            stubs: number;
        };
        /** @description Replies, one for each request that the stub responds to. */
        Sequence: components["schemas"]["SequenceItem"][];
        /** @description One reply. */
        SequenceItem: "pass" | (components["schemas"]["ErrorReply"] | components["schemas"]["StatusReply"] | components["schemas"]["PageReply"] | components["schemas"]["FaultReply"]);
        /**
         * @description The settings of the server that affect clients; `all` lists every setting.
         *
         *     `options` lists those that differ from the defaults and affect sessions or requests, as on the
         *     command line: `--api-key *`, `--seed 4`.
         */
        ServerSettings: {
            key: string;
            any_key: boolean;
            base_path: string;
            max_records: number;
            max_sessions: number;
            request_log_size: number;
            public: boolean;
            options: string[];
            all: components["schemas"]["EffectiveSetting"][];
        };
        /** @description The scenarios, seed, data and clock of a session. */
        SessionContents: {
            /** @description A scenario name, a scenario document, or a list of them. */
            scenario?: string | components["schemas"]["ScenarioDocument"] | (string | components["schemas"]["ScenarioDocument"])[];
            /** @description Seed for the generated records and random decisions. */
            seed?: number;
            /** @description The records of collections by name; * means every collection. Other collections keep the records of the session. */
            data?: {
                /** @description Empties every collection. */
                "*"?: unknown[];
            } & {
                [key: string]: components["schemas"]["RecordsContent"];
            };
            clock?: components["schemas"]["ClockChange"];
        };
        /** @description A session that another server can import. */
        SessionExport: {
            /** @description The version that wrote it. */
            mockpets?: string;
            /** @description The version of the document. */
            format: number;
            /** @description The name of the session. */
            session?: string;
            /** @description A scenario name, a scenario document, or a list of them. */
            scenario: string | components["schemas"]["ScenarioDocument"] | (string | components["schemas"]["ScenarioDocument"])[];
            /** @description The texts of scenarios that only this session has. */
            overrides?: {
                [key: string]: string;
            };
            /** @description Seed for the generated records and random decisions. */
            seed: number;
            /** @description The state of its random numbers (base64). */
            random?: string;
            clock?: components["schemas"]["ClockChange"];
            /** @description The records that a reset restores. */
            starts?: {
                /** @description Empties every collection. */
                "*"?: unknown[];
            } & {
                [key: string]: components["schemas"]["RecordsContent"];
            };
            /** @description The counters by stub. */
            counters?: {
                [key: string]: components["schemas"]["ExportedCount"];
            };
            /** @description The records that differ from the initial ones. */
            data?: components["schemas"]["ExportedRecords"][];
            /** @description The request log (HAR 1.2), which an import ignores. */
            log?: {
                [key: string]: unknown;
            };
        };
        /** @description The sessions, `default` first, and the maximum number of sessions. */
        SessionList: {
            sessions: components["schemas"]["SessionSummary"][];
            max: number;
        };
        /**
         * @description A session; `records` and `held` are as in `StateCounts`, `clock` as in `State`.
         *
         *     `id` is new when the session was created again, or may have lost data in a restart. `failed`
         *     counts logged requests with an error status, a broken connection or a client that left;
         *     `last_request` is the method and target of the newest.
         */
        SessionSummary: {
            active: string[];
            name: string;
            id: string;
            seed: number;
            clock: components["schemas"]["ClockState"] | null;
            records: number | null;
            requests: number;
            failed: number;
            last_request: string | null;
            held: number;
            idle_seconds: number;
            base_path: string;
        };
        /**
         * @description A session and its server at a glance.
         *
         *     `change` is the number of the last change, and each reset changes `resets`. `state_file` is null
         *     without `--state`, `node` without `--name`, and `clock` while it shows the real time.
         *     `rejected_origins` lists at most 20 origins of pages whose calls were rejected; `null` stands
         *     for pages without an origin. `faults` has a label for each kind of fault.
         */
        State: {
            active: string[];
            scenarios: components["schemas"]["ScenarioSummary"][];
            skipped: {
                [key: string]: string;
            };
            folder_problems: string[];
            gates: {
                [key: string]: number;
            };
            version: string;
            protocol: number;
            started: string;
            node: string | null;
            session: string;
            change: number;
            resets: number;
            seed: number;
            clock: components["schemas"]["ClockState"] | null;
            counts: components["schemas"]["StateCounts"];
            state_file: components["schemas"]["StateFileProgress"] | null;
            rejected_origins: string[];
            settings: components["schemas"]["ServerSettings"];
            faults: {
                [key: string]: string;
            };
            contracts: components["schemas"]["ContractSummary"][];
        };
        /**
         * @description Counts of a session and its server; `held` counts responses at gates.
         *
         *     `records` is null while generating them would take too long. With `--sessions declared`,
         *     `unnamed` counts the requests that were rejected since the session began because they named no
         *     session: those of its test can be among them.
         */
        StateCounts: {
            records: number | null;
            requests: number;
            sessions: number;
            held: number;
            unnamed: number;
        };
        /**
         * @description How far the sessions are saved in the state file.
         *
         *     Read `begun` after your change: the change is durable once `saved` exceeds it. `trouble` is the
         *     reason why the last attempt failed, or empty.
         */
        StateFileProgress: {
            begun: number;
            saved: number;
            trouble: string;
        };
        /** @description A response. Without a body, it sends the body that the contract describes for the status, or an Error body. A response that the contract does not list requires off_contract: true on the stub, except 429 and 5xx. */
        StatusReply: {
            /** @description The HTTP status. */
            status: number;
            headers?: components["schemas"]["ReplyHeaders"];
            /** @description The body, sent as JSON. */
            body?: string | number | boolean | null | unknown[] | {
                [key: string]: unknown;
            };
            /** @description The body, sent unchanged, in UTF-8. */
            text?: string;
        };
        /** @description Changes the response to matching requests. With only delay, throttle or hold, it affects the response of a later stub or of the real operation. */
        Stub: {
            /** @description Name in the request log and the Mockpets-Stub header. By default, the stub's position. */
            name?: string;
            match?: components["schemas"]["Match"];
            /** @description Number of matching requests to skip first. */
            after?: number;
            /** @description Maximum number of requests to apply to after that. */
            times?: number;
            /** @description Probability that it applies to a request: 0.25 is one in four. */
            probability?: number;
            reply?: components["schemas"]["Reply"];
            sequence?: components["schemas"]["Sequence"];
            repeat?: components["schemas"]["Repeat"];
            delay?: components["schemas"]["Delay"];
            /** @description Rate at which the server sends the response, such as 500 B/s or 2 kB/s. */
            throttle?: string;
            fault?: components["schemas"]["Fault"];
            /** @description Name of a gate that holds the response until the control API opens it. */
            hold?: string;
            /** @description Allow replies that deviate from the contract. */
            off_contract?: boolean;
        };
        /**
         * @description A stub; `label` is `scenario/stub`, and `scenario` the one whose file defines it.
         *
         *     `when` describes the requests that it matches, and `does` its effects on their responses,
         *     separated by `;`. `limits` describes how often it applies; it is empty for always.
         */
        StubDescription: {
            label: string;
            scenario: string;
            when: string;
            does: string;
            limits: string;
        };
        /** @description A stub that is now active in the session, and all active scenarios. */
        StubInUse: {
            scenario: string;
            stub: components["schemas"]["DataRecord"] | null;
            yaml: string;
            matches: number[];
            notes: string[];
            active: string[];
        };
        /** @enum {string} */
        StubResult: "applies" | "after" | "times" | "sequence" | "probability" | "responds" | "no_match" | "not_reached";
        /** @description The expected value, or operators. */
        TextMatch: (string | number | boolean) | components["schemas"]["TextOperators"];
        /** @description Operators; all of them must hold. */
        TextOperators: {
            /** @description A value, compared as a string. */
            equals?: string | number | boolean;
            /** @description A value, compared as a string. */
            contains?: string | number | boolean;
            /** @description A glob for the whole value: * is any text, ? is any one character. */
            matches?: string;
            /** @description Whether the request has it. */
            present?: boolean;
            /** @description The value equals one of these. */
            one_of?: (string | number | boolean)[];
        };
        /** @description A minimum, a maximum, or both. */
        Times: {
            /** @description A number of requests. */
            at_least?: number;
            /** @description A number of requests. */
            at_most?: number;
        };
        Total: {
            total: number;
        };
        Undone: {
            undone: components["schemas"]["Removal"];
            session: components["schemas"]["SessionSummary"];
        };
        /** @description The user to log in. */
        UserSelection: {
            /** @description Properties that the user has, such as the name; by default, the first user. */
            user?: {
                [key: string]: unknown;
            };
        };
        /** @description The requests that a test expects. */
        Verification: {
            match: components["schemas"]["VerificationMatch"];
            /** @description How many requests must match; by default, at least 1. */
            times?: number | components["schemas"]["Times"];
            /** @description How long to wait, such as 5s; at most 30s. By default, do not wait. */
            within?: string;
        };
        /** @description Why a verification failed; `unknown` counts requests that the log dropped or shortened. */
        VerificationDetails: {
            matched: number;
            unknown: number;
            expected: string;
            match: string;
            nearest: components["schemas"]["NearestRequest"][];
        };
        /** @description Conditions as in a stub, or {} for all requests. */
        VerificationMatch: {
            /** @description One or more operations of the contract. */
            operation?: components["schemas"]["Operation"] | components["schemas"]["Operation"][];
            /** @description What the operation does to its records. */
            role?: components["schemas"]["Role"] | components["schemas"]["Role"][];
            /** @description The HTTP method, with path. For requests that are not in the contract. */
            method?: string;
            /** @description The decoded path, with method. A segment * or {name} matches any one segment. */
            path?: string;
            /** @description Parameters of the operation's path: name to condition. */
            params?: {
                [key: string]: components["schemas"]["TextMatch"];
            };
            /** @description Query parameters: name to condition. */
            query?: {
                [key: string]: components["schemas"]["TextMatch"];
            };
            /** @description Request headers: name, in any case, to condition. */
            headers?: {
                [key: string]: components["schemas"]["TextMatch"];
            };
            /** @description Properties of a JSON body: name to condition. */
            body?: {
                [key: string]: components["schemas"]["BodyMatch"];
            };
            /** @description One or more outcomes. */
            outcome?: components["schemas"]["RequestOutcome"] | components["schemas"]["RequestOutcome"][];
            /** @description One or more statuses of the response, or classes of them. */
            status?: (number | string) | (number | string)[];
        };
        VerifiedRequests: {
            matched: number;
            requests: components["schemas"]["RequestSummary"][];
        };
        /** @enum {string} */
        WaitKind: "held" | "delayed" | "throttled";
        /**
         * @description A waiting response; `at` is the time at which the request arrived.
         *
         *     `status` is null if the connection breaks instead. `throttle` is in bytes per second.
         */
        WaitingResponse: {
            request: number;
            session: string;
            method: string;
            target: string;
            path: string;
            operation: components["schemas"]["Operation"] | null;
            waits: components["schemas"]["WaitKind"];
            gate: string | null;
            delay_ms: number;
            throttle: number | null;
            status: number | null;
            stubs: string[];
            at: string;
            since: string;
            waited_ms: number;
        };
        /** @description The waiting responses, by session and number; `change` is the `since` of `GET events`. */
        WaitingResponses: {
            held: components["schemas"]["WaitingResponse"][];
            change: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Activated = components['schemas']['Activated'];
export type ActiveScenarios = components['schemas']['ActiveScenarios'];
export type BodyMatch = components['schemas']['BodyMatch'];
export type BodyOperators = components['schemas']['BodyOperators'];
export type Calls = components['schemas']['Calls'];
export type Change = components['schemas']['Change'];
export type CheckedScenario = components['schemas']['CheckedScenario'];
export type Cleared = components['schemas']['Cleared'];
export type ClientReport = components['schemas']['ClientReport'];
export type ClockChange = components['schemas']['ClockChange'];
export type ClockState = components['schemas']['ClockState'];
export type CollectionDescription = components['schemas']['CollectionDescription'];
export type CollectionList = components['schemas']['CollectionList'];
export type CollectionSummary = components['schemas']['CollectionSummary'];
export type ComparedCondition = components['schemas']['ComparedCondition'];
export type ContractCollection = components['schemas']['ContractCollection'];
export type ContractDescription = components['schemas']['ContractDescription'];
export type ContractList = components['schemas']['ContractList'];
export type ContractNote = components['schemas']['ContractNote'];
export type ContractShare = components['schemas']['ContractShare'];
export type ContractSummary = components['schemas']['ContractSummary'];
export type DataRecord = components['schemas']['DataRecord'];
export type Delay = components['schemas']['Delay'];
export type DelayPercentiles = components['schemas']['DelayPercentiles'];
export type DelayRange = components['schemas']['DelayRange'];
export type Difference = components['schemas']['Difference'];
export type DroppedSession = components['schemas']['DroppedSession'];
export type DroppedSessions = components['schemas']['DroppedSessions'];
export type DroppedStub = components['schemas']['DroppedStub'];
export type EffectiveSetting = components['schemas']['EffectiveSetting'];
export type Error = components['schemas']['Error'];
export type ErrorCode = components['schemas']['ErrorCode'];
export type ErrorReply = components['schemas']['ErrorReply'];
export type Events = components['schemas']['Events'];
export type ExplainedStub = components['schemas']['ExplainedStub'];
export type Explanation = components['schemas']['Explanation'];
export type ExportedCount = components['schemas']['ExportedCount'];
export type ExportedRecords = components['schemas']['ExportedRecords'];
export type Fault = components['schemas']['Fault'];
export type FaultReply = components['schemas']['FaultReply'];
export type Findings = components['schemas']['Findings'];
export type GateCounts = components['schemas']['GateCounts'];
export type GateWait = components['schemas']['GateWait'];
export type GeneratedRecords = components['schemas']['GeneratedRecords'];
export type Har = components['schemas']['Har'];
export type HarLog = components['schemas']['HarLog'];
export type Health = components['schemas']['Health'];
export type HeldResponses = components['schemas']['HeldResponses'];
export type InputProblem = components['schemas']['InputProblem'];
export type InvalidInputDetails = components['schemas']['InvalidInputDetails'];
export type LoggedIn = components['schemas']['LoggedIn'];
export type LoginCookie = components['schemas']['LoginCookie'];
export type Match = components['schemas']['Match'];
export type NearestRequest = components['schemas']['NearestRequest'];
export type NoteCode = components['schemas']['NoteCode'];
export type OpenedGate = components['schemas']['OpenedGate'];
export type Operation = components['schemas']['Operation'];
export type OperationDescription = components['schemas']['OperationDescription'];
export type OperationKey = components['schemas']['OperationKey'];
export type PageReply = components['schemas']['PageReply'];
export type QueryMeaning = components['schemas']['QueryMeaning'];
export type RecordPage = components['schemas']['RecordPage'];
export type RecordedBody = components['schemas']['RecordedBody'];
export type RecordedMessage = components['schemas']['RecordedMessage'];
export type RecordedScenario = components['schemas']['RecordedScenario'];
export type RecordedStub = components['schemas']['RecordedStub'];
export type RecordingStarted = components['schemas']['RecordingStarted'];
export type RecordsContent = components['schemas']['RecordsContent'];
export type RecordsSource = components['schemas']['RecordsSource'];
export type Release = components['schemas']['Release'];
export type ReleasedRequests = components['schemas']['ReleasedRequests'];
export type Removal = components['schemas']['Removal'];
export type Repeat = components['schemas']['Repeat'];
export type Reply = components['schemas']['Reply'];
export type ReplyHeaders = components['schemas']['ReplyHeaders'];
export type ReportEvidence = components['schemas']['ReportEvidence'];
export type ReportFinding = components['schemas']['ReportFinding'];
export type ReportRule = components['schemas']['ReportRule'];
export type RequestDetails = components['schemas']['RequestDetails'];
export type RequestFilters = components['schemas']['RequestFilters'];
export type RequestList = components['schemas']['RequestList'];
export type RequestNote = components['schemas']['RequestNote'];
export type RequestOutcome = components['schemas']['RequestOutcome'];
export type RequestSummary = components['schemas']['RequestSummary'];
export type RequestToExplain = components['schemas']['RequestToExplain'];
export type ResetSessions = components['schemas']['ResetSessions'];
export type Resource = components['schemas']['Resource'];
export type Responder = components['schemas']['Responder'];
export type Role = components['schemas']['Role'];
export type ScenarioDetails = components['schemas']['ScenarioDetails'];
export type ScenarioDocument = components['schemas']['ScenarioDocument'];
export type ScenarioDraft = components['schemas']['ScenarioDraft'];
export type ScenarioGroup = components['schemas']['ScenarioGroup'];
export type ScenarioList = components['schemas']['ScenarioList'];
export type ScenarioSelection = components['schemas']['ScenarioSelection'];
export type ScenarioSummary = components['schemas']['ScenarioSummary'];
export type Sequence = components['schemas']['Sequence'];
export type SequenceItem = components['schemas']['SequenceItem'];
export type ServerSettings = components['schemas']['ServerSettings'];
export type SessionContents = components['schemas']['SessionContents'];
export type SessionExport = components['schemas']['SessionExport'];
export type SessionList = components['schemas']['SessionList'];
export type SessionSummary = components['schemas']['SessionSummary'];
export type State = components['schemas']['State'];
export type StateCounts = components['schemas']['StateCounts'];
export type StateFileProgress = components['schemas']['StateFileProgress'];
export type StatusReply = components['schemas']['StatusReply'];
export type Stub = components['schemas']['Stub'];
export type StubDescription = components['schemas']['StubDescription'];
export type StubInUse = components['schemas']['StubInUse'];
export type StubResult = components['schemas']['StubResult'];
export type TextMatch = components['schemas']['TextMatch'];
export type TextOperators = components['schemas']['TextOperators'];
export type Times = components['schemas']['Times'];
export type Total = components['schemas']['Total'];
export type Undone = components['schemas']['Undone'];
export type UserSelection = components['schemas']['UserSelection'];
export type Verification = components['schemas']['Verification'];
export type VerificationDetails = components['schemas']['VerificationDetails'];
export type VerificationMatch = components['schemas']['VerificationMatch'];
export type VerifiedRequests = components['schemas']['VerifiedRequests'];
export type WaitKind = components['schemas']['WaitKind'];
export type WaitingResponse = components['schemas']['WaitingResponse'];
export type WaitingResponses = components['schemas']['WaitingResponses'];

/** The version of this kit. */
export declare const VERSION: string;
/** The number of the control API's protocol. */
export declare const PROTOCOL: number;
/** The kinds of change. */
export declare const CHANGES: readonly Change[];
