// Written by `npm run types` out of docs/openapi.json; a test holds the two together.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The answer to an accepted submission: the executor's result, or `payload` as it was understood, with `exchange`. */
        Accepted: {
            exchange: components["schemas"]["Exchange"];
            /** @description Without an executor: the payload with defaults, and without what was passed over. */
            payload?: Record<string, unknown>;
            schema_update_suggestion?: components["schemas"]["Suggestion"];
        };
        /** @description What a version is to the others of its scenario. */
        Assessment: {
            compared: components["schemas"]["Comparison"][];
            compatible: boolean;
            mode: components["schemas"]["CompatibilityMode"];
            /** @description The schema whose `compatibility` rules; null where it is the service's setting. */
            set_by?: string | null;
        };
        /** @description Whom a patch is for. */
        Audience: {
            /** @enum {string} */
            kind: "global";
        } | {
            /** @description A cohort: 1 to 64 lower-case letters, digits, `_` and `-`, the first one a letter. */
            id: string;
            /** @enum {string} */
            kind: "cohort";
        } | {
            /** @description Who calls, as the identity layer established it: 1 to 128 visible ASCII characters. */
            id: string;
            /** @enum {string} */
            kind: "client";
        };
        /** @description Who did something, known by what, in which request. */
        By: {
            /** @description What the key is called: the first digits of its `key_sha256`. */
            key?: string | null;
            method?: components["schemas"]["Method"] | null;
            principal: string;
            request_id?: string | null;
        };
        /** @description One difference. */
        Change: {
            backward: components["schemas"]["Reading"];
            /** @description The graver of both directions. */
            class: components["schemas"]["ChangeClass"];
            /** @description Payloads that show it. */
            examples: components["schemas"]["ChangeExample"][];
            forward: components["schemas"]["Reading"];
            /** @description The key, where it is one's. */
            key_name?: string;
            kind: components["schemas"]["ChangeKind"];
            message: string;
            /** @description JSON pointer into the newer document; into the older one for what is gone. */
            pointer: string;
            /** @description Reason for which a direction may break, where that is neither proved nor shown. */
            reason?: components["schemas"]["Unproved"];
            /** @description The new key that a removed one seems to have become. */
            renamed_to?: string;
        };
        /**
         * @description How much a change asks of those who know the other version, the least first.
         * @enum {string}
         */
        ChangeClass: "none" | "wording" | "additive" | "may_break" | "breaking";
        /** @description A payload that one version accepts, and what the other makes of it. */
        ChangeExample: {
            /** @description `backward`: accepted by the older version, read by the newer one. */
            direction: components["schemas"]["Direction"];
            effect: components["schemas"]["Effect"];
            payload: Record<string, unknown>;
        };
        /**
         * @description What changed.
         * @enum {string}
         */
        ChangeKind: "key_added" | "key_removed" | "type_changed" | "made_required" | "made_optional" | "widened" | "narrowed" | "restated" | "constraints_changed" | "default_changed" | "description_changed" | "sensitive_changed" | "member_changed" | "strict_changed" | "scenario_changed";
        /** @description A version beside another. */
        Comparison: {
            /** @description From the lower version to the higher one. */
            changes: components["schemas"]["Change"][];
            /** @description Whether nothing that the mode asks for is broken. */
            compatible: boolean;
            /** @description Whether the mode asks for it; the version in force is compared for information too. */
            enforced: boolean;
            schema_id: string;
            version: string;
        };
        /**
         * @description What a version promises to those who know the others of its major line.
         * @enum {string}
         */
        CompatibilityMode: "none" | "backward" | "backward_transitive" | "forward" | "forward_transitive" | "full" | "full_transitive";
        /** @description A refusal as the specification spells it. */
        ContextError: {
            code: string;
            message: string;
        };
        /** @description One reason why a template cannot be published. Holds no value of any payload. */
        Defect: {
            message: string;
            /** @description JSON pointer into the template. */
            pointer: string;
            /** @description The requirement that it breaks, such as `Z-035`. */
            requirement: string;
        };
        /**
         * @description Who reads whose payloads.
         * @enum {string}
         */
        Direction: "backward" | "forward";
        /**
         * @description What happens to a payload that somebody sends.
         * @enum {string}
         */
        Effect: "refused" | "passed_over" | "read_otherwise";
        /** @description A key of an effective template. */
        EffectiveKey: components["schemas"]["KeyDefinition"] & {
            /** @description The key will go. */
            deprecated?: boolean;
            /** @description The key is on trial. */
            experimental?: boolean;
            /** @description The patch that brought it. */
            patch_id?: string;
            /** @description The patch whose wording it bears. */
            refined_by?: string;
        };
        /** @description The effective template: the base with the patches in force for the caller. */
        EffectiveTemplate: {
            compatibility?: components["schemas"]["CompatibilityMode"];
            description?: string;
            /** @description The digest of each key as it is served (name, type, description, constraints), by its name. */
            key_digests: {
                [key: string]: string;
            };
            keys: components["schemas"]["EffectiveKey"][];
            labels?: Record<string, unknown>;
            language: string;
            /** @description The language that was asked for, where the template has none of it. */
            language_fallback?: components["schemas"]["LanguageFallback"];
            /** @description Patches in force that change a key which this version has not. */
            left_out?: components["schemas"]["LeftOut"][];
            lenient?: boolean;
            owner?: string;
            /** @description The patches in force, without their keys. */
            patches: components["schemas"]["PatchHead"][];
            response_schema?: unknown;
            /**
             * Format: int64
             * @description The last change that this caller sees; for `since` and `as_of`.
             */
            revision: number;
            scenario: string;
            schema_id: string;
            strict?: boolean;
            version: string;
        };
        /** @description What became of a submission. */
        Exchange: {
            /** @description Keys that were left out and have a default. */
            defaults_applied?: string[];
            /**
             * Format: date-time
             * @description When it was announced that the schema is to go, where it was.
             */
            deprecated_at?: string;
            /** @description `lenient` where the request preferred that and the template allows it: wrong values of optional keys are kept out. */
            handling?: string;
            /**
             * @description Keys whose value is wrong, is not executed, and refuses nothing: learned ones whose value is of another type, and, where `handling`
             *     is `lenient`, optional ones.
             */
            kept_out?: string[];
            /** @description The version in force, where the schema is another one. */
            latest?: string;
            /**
             * Format: int64
             * @description The template's revision by which it was judged.
             */
            revision: number;
            schema_id: string;
            status: components["schemas"]["ExchangeStatus"];
            /** @description Missing where nothing was recorded. */
            submission_id?: string;
            /**
             * Format: date-time
             * @description From when on it may be gone, where that was said.
             */
            sunset?: string;
            /** @description Where the submission says a revision that is not the current one. */
            template_change?: components["schemas"]["TemplateChange"];
            warnings?: components["schemas"]["Warning"][];
        };
        /** @enum {string} */
        ExchangeStatus: "accepted" | "refused" | "not_executed" | "maybe_executed" | "recorded";
        /** @description Since when evolution stands still; who stopped it is for those who may see it. */
        FrozenRow: {
            by?: components["schemas"]["By"] | null;
            /** @description Null where nothing was said of it. */
            reason?: string | null;
            /** Format: date-time */
            since: string;
        };
        /**
         * @description The treatment of a wrong value of an optional key.
         * @enum {string}
         */
        Handling: "strict" | "lenient";
        /** @description A key of a template. Members that are not named here are kept and served back. */
        KeyDefinition: {
            /** @description Keywords of JSON Schema that are enforced (Z-048, Z-051); only the admitted ones. */
            constraints?: Record<string, unknown>;
            /** @description What is taken where the key is left out; none for a required key. Absent and `null` mean the same (Z-045). */
            default_value?: unknown;
            key_name: string;
            key_type: components["schemas"]["KeyType"];
            required: boolean;
            /** @description What the key means, with examples. Lists and ranges in it become `constraints`. */
            semantic_description: string;
            /** @description Descriptions in other languages: BCP 47 tag and text (Z-041, Z-056). */
            semantic_descriptions?: {
                [key: string]: string;
            };
            sensitive?: components["schemas"]["Sensitive"];
        };
        /**
         * @description A type of JSON (Z-036, Z-037); the alias `float` is read as `number` (Z-038) and never written.
         * @enum {string}
         */
        KeyType: "string" | "integer" | "number" | "boolean" | "array" | "object" | "null";
        /** @description A language that the template does not have, and the one that is served instead. */
        LanguageFallback: {
            requested: string;
            served: string;
        };
        /** @description A patch that is in force and not laid over a version. */
        LeftOut: {
            key_name: string;
            patch_id: string;
            /** @description In a sentence. */
            why: string;
        };
        /**
         * @description By what a caller was known.
         * @enum {string}
         */
        Method: "api_key" | "open" | "system";
        /** @description A place where an executor's result is not what was promised. Holds no value. */
        Misfit: {
            /** @description The keyword of the response schema that it breaks, or `reserved`. */
            keyword: string;
            /** @description JSON pointer into the result. */
            pointer: string;
        };
        /** @description One change. */
        MissedChange: {
            class: components["schemas"]["ChangeClass"];
            key_name?: string;
            /** @description As `POST /v1/schemas:check` names it. */
            kind: components["schemas"]["ChangeKind"];
            renamed_to?: string;
        };
        /** @description A key whose description was refined. */
        ModifiedKey: {
            /** @description Values that it takes beside those of the base. */
            added_values?: string[];
            key_name: string;
            /** @description Values that it takes alone from now on, beside `none`: until then it took any text. */
            listed_values?: string[];
            semantic_description: string;
        };
        /** @description What became of a part. */
        PartOutcome: {
            outcome: components["schemas"]["PartStatus"];
            /**
             * Format: int64
             * @description Its place among the parts, from 0.
             */
            part: number;
            schema_id?: string;
            type?: string;
            /** @description Of the schema that read it. */
            version?: string;
            warnings?: string[];
            /** @description Why it is not processed, with what is hosted instead. */
            why?: string;
        };
        /**
         * @description Whether a part was processed.
         * @enum {string}
         */
        PartStatus: "processed" | "skipped" | "refused";
        /** @description A patch: a key that was learned, or a description that was. */
        Patch: components["schemas"]["PatchHead"] & {
            modified_keys: components["schemas"]["ModifiedKey"][];
            new_keys: components["schemas"]["EffectiveKey"][];
            /** @description What a person is waited for to decide, shown to those who see all. */
            waits_for?: components["schemas"]["Waiting"];
        };
        /** @description A patch without its keys. */
        PatchHead: {
            audience: components["schemas"]["Audience"];
            /** Format: date-time */
            expiration_date: string;
            parent_schema_id: string;
            patch_id: string;
            /**
             * Format: int64
             * @description The last change of the patch.
             */
            revision: number;
            stage: components["schemas"]["Stage"];
            /** Format: date-time */
            timestamp: string;
        };
        /** @description A failure (RFC 9457). */
        ProblemDocument: {
            /** @description Stable. */
            code: string;
            /** @description Of `incompatible`: what is broken. */
            compatibility?: components["schemas"]["Assessment"];
            /**
             * Format: int64
             * @description The same, of which incarnation it is.
             */
            current_incarnation?: number | null;
            /**
             * Format: int64
             * @description Of `patch_moved`: the revision of the patch.
             */
            current_revision?: number;
            /**
             * Format: int64
             * @description Of `version_conflict`: where the key is; null where there is none.
             */
            current_version?: number | null;
            /** @description Of `invalid_template` and `unfit_key`: every reason. */
            defects?: components["schemas"]["Defect"][];
            /** @description What happened this time. */
            detail: string;
            /** @description Of shared contexts: the code as their specification spells it, and words. */
            error?: components["schemas"]["ContextError"];
            /** @description Of a submission that is on record. */
            exchange?: components["schemas"]["Exchange"];
            /**
             * Format: int32
             * @description Of `executor_refused`.
             */
            executor_status?: number;
            /** @description Of `bad_request`, where members are wrong: each of them. */
            fields?: components["schemas"]["WrongField"][];
            /** @description Of `bad_result`: the places in the result. */
            misfits?: components["schemas"]["Misfit"][];
            /** @description Of `nothing_taken`: what became of each part. */
            parts?: components["schemas"]["PartOutcome"][];
            /**
             * Format: int64
             * @description In an item of a batch, what the header `Retry-After` would have said.
             */
            retry_after_s?: number;
            /** Format: int32 */
            status: number;
            title: string;
            /**
             * Format: uri-reference
             * @description `/problems/{code}`, relative to the service.
             */
            type: string;
            /** @description Of `invalid_payload`: every reason. */
            violations?: components["schemas"]["Violation"][];
        };
        /**
         * @description How one direction comes out.
         * @enum {string}
         */
        Reading: "compatible" | "may_break" | "breaking";
        /** @description An operation of RFC 6902 on the submission, such as `{"op":"replace","path":"/payload/k","value":2,"lossless":true}`. */
        RepairOperation: {
            from?: string;
            /** @description True where it loses and guesses nothing, so that a client applies it by itself. Any other is an offer. */
            lossless: boolean;
            /** @description `replace`, `move`, `copy` or `remove`. */
            op: string;
            path: string;
            value?: unknown;
        };
        /** @description One scenario. */
        ScenarioRow: {
            description?: string | null;
            frozen?: components["schemas"]["FrozenRow"];
            labels?: Record<string, unknown>;
            language: string;
            /** Format: double */
            likeness?: number;
            owner?: string;
            /** Format: int64 */
            revision: number;
            scenario: string;
            /** @description The schema in force. */
            schema_id: string;
            /** @description There where `stats` was asked. */
            stats?: components["schemas"]["ScenarioStats"];
            version: string;
        };
        /** @description What is hosted. `outcome`, `likeness_min` and `unread` are there where `q` was asked. */
        Scenarios: {
            /**
             * Format: double
             * @description How like a scenario must be to the wish.
             */
            likeness_min?: number;
            /** @description There where the list goes on: the `after` of the next page. */
            next?: string;
            outcome?: components["schemas"]["SearchOutcome"];
            scenarios: components["schemas"]["ScenarioRow"][];
            /**
             * Format: int64
             * @description Scenarios that the model has not read yet.
             */
            unread?: number;
        };
        /**
         * @description A scenario in figures, as they were kept last: a moment ago while anything comes, else a minute at most. Ratios and clients are
         *     over the days that its ledger is read over, `policy.evolution.window_days`; a ratio of nothing is null.
         */
        ScenarioStats: {
            /** Format: date-time */
            as_of: string;
            /**
             * Format: int64
             * @description Those with a name.
             */
            clients: number;
            /**
             * Format: int64
             * @description Wishes that are told apart in the pool.
             */
            clusters: number;
            /** @description Whether a person stopped evolution. */
            frozen: boolean;
            /**
             * Format: double
             * @description Heat of the hottest of them.
             */
            heat_max: number;
            /**
             * Format: int64
             * @description Keys on trial, of clients' own too.
             */
            on_trial: number;
            /**
             * Format: double
             * @description The share of payloads that said something in `other`.
             */
            other_ratio?: number | null;
            /**
             * Format: int64
             * @description Submissions of the last seven days, accepted and refused, today included.
             */
            payloads_7d: number;
            /**
             * Format: double
             * @description The share of payloads that were refused; none of a time before it was kept counts as one.
             */
            refused_ratio?: number | null;
            /** @description Whether nothing is learned for the moment, or until the next start, since its work broke off. */
            stalled: boolean;
            /**
             * Format: int64
             * @description Proposals and trials that wait for a person, as in `/v1/approvals`.
             */
            waits: number;
        };
        /** @enum {string} */
        SearchOutcome: "match" | "no_match" | "reading" | "no_submission";
        /**
         * @description What a key is about that a person has to approve (Z-165, Z-171).
         * @enum {string}
         */
        Sensitive: "payment" | "identity" | "access_control" | "personal";
        /**
         * @description Where a patch stands.
         * @enum {string}
         */
        Stage: "queued" | "awaiting_approval" | "experimental" | "stable" | "deprecated" | "withdrawn" | "expired" | "lapsed" | "rejected";
        /** @description A payload with its envelope. Members that are not named here are passed over. */
        Submission: {
            /** @description Checks and records nothing. */
            dry_run?: boolean | null;
            handling?: components["schemas"]["Handling"] | null;
            /** @description BCP 47 tag of the utterance. */
            language?: string | null;
            /** @description Keys and values as the template says; what no key holds stands in `other`. */
            payload: Record<string, unknown>;
            /** @description Whether the payload is judged by the template of that revision, without what is newer. */
            pinned?: boolean | null;
            /**
             * Format: int64
             * @description The template's revision that the client holds.
             */
            revision?: number | null;
            /** @description The schema that the payload was made by. */
            schema_id: string;
            /** @description What the user said. */
            utterance?: string | null;
        };
        /** @description What is new to the caller, beside an answer to a submission. */
        Suggestion: {
            modified_keys: components["schemas"]["ModifiedKey"][];
            new_keys: components["schemas"]["EffectiveKey"][];
            patches: components["schemas"]["Patch"][];
            /** Format: int64 */
            revision: number;
            withdrawn_keys: string[];
        };
        /** @description What changed from the template that a client holds to the one that it would fetch now. */
        TemplateChange: {
            changes: components["schemas"]["MissedChange"][];
            /** @description The gravest of all. */
            class: components["schemas"]["ChangeClass"];
            /** @description Keys that are in their grace period now and were not. */
            deprecated_keys?: string[];
            /**
             * Format: int64
             * @description Changes that are not listed.
             */
            more?: number;
            /**
             * Format: int64
             * @description Its revision.
             */
            revision: number;
            /** @description The schema in force. */
            schema_id: string;
            /**
             * Format: int64
             * @description The revision that the submission said.
             */
            since: number;
        };
        /**
         * @description Reason for which a direction is neither proved nor shown.
         * @enum {string}
         */
        Unproved: "budget" | "undecided";
        /** @description What changed for the caller since a revision. */
        Updates: {
            /** @description Patches that changed and are not laid over this version. */
            left_out?: components["schemas"]["LeftOut"][];
            patches: components["schemas"]["Patch"][];
            /**
             * Format: int64
             * @description What `since` is to be the next time.
             */
            revision: number;
            /** @description The base in force, or the one that the caller names. */
            schema_id: string;
            withdrawn_keys: string[];
        };
        /** @description One reason for a refusal. Never holds the value. */
        Violation: {
            code: components["schemas"]["ViolationCode"];
            /** @description What would have been right: `type`, `enum`, bounds. */
            expected?: Record<string, unknown>;
            key: string;
            message: string;
            nearest_key?: string;
            /** @description JSON pointer from the submission, such as `/payload/passenger_count`. */
            pointer: string;
            received_type?: string;
            /** @description RFC 6902 operations on the submission, where the right value is determined. */
            repair?: components["schemas"]["RepairOperation"][];
        };
        /**
         * @description What is wrong with a value, in a word.
         * @enum {string}
         */
        ViolationCode: "missing_required" | "wrong_type" | "not_acceptable" | "out_of_range" | "bad_format" | "bad_shape" | "unknown_key";
        /** @description What a patch or a cluster waits for, in a word and in a sentence with the numbers. */
        Waiting: {
            code: string;
            detail: string;
        };
        /** @description Said beside an answer; never refuses. */
        Warning: {
            /**
             * @description `unknown_key`, `patch_value`, `value_kept_out`, `deprecated_key`, `withdrawn_key`, `other_truncated`, `other_deferred`,
             *     `other_unread`, `repeated_key`, `unknown_member`, `taken_as_other`.
             */
            code: string;
            key: string;
            message: string;
            /** @description RFC 6902 operations on the submission, where the right payload is determined. */
            repair?: components["schemas"]["RepairOperation"][];
        };
        /** @description One member that is wrong. Holds no value. */
        WrongField: {
            /** @description In a few words, to follow the field. */
            description: string;
            /** @description Such as `message.parts[0].text`. */
            field: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
