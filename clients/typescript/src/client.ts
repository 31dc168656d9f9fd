// One service, and what is hosted there.

import { badAnswer } from "./errors.js";
import { parsed, Transport } from "./http.js";
import { Scenario } from "./scenario.js";
import type { ClientOptions, ScenarioOptions, ScenarioRow, Scenarios } from "./types.js";

/** Scenarios that a list names at most: far more than one service hosts. */
const SCENARIOS_MAX = 10_000;

export class Otherwise {
  readonly #transport: Transport;
  readonly #options: ClientOptions;

  /** A client of the service at this address. */
  constructor(url: string | URL, options: ClientOptions = {}) {
    this.#transport = new Transport(url, options);
    this.#options = options;
  }

  /** One scenario. Nothing is asked before it is needed. */
  scenario(name: string, options: ScenarioOptions = {}): Scenario {
    return new Scenario(this.#transport, name, this.#options, options);
  }

  /** Everything that is hosted; or what a wish in plain words is meant for, likeliest first. */
  async scenarios(query?: string): Promise<ScenarioRow[]> {
    const rows: ScenarioRow[] = [];
    let after: string | undefined;
    do {
      const answer = await this.#transport.call({ method: "GET", path: "/v1/scenarios", query: { q: query, after } });
      const page = parsed(answer, "scenarios") as unknown as Scenarios;
      if (!Array.isArray(page.scenarios)) throw badAnswer("it lists no scenarios", answer.status);
      for (const row of page.scenarios) rows.push(row);
      after = page.scenarios.length && rows.length < SCENARIOS_MAX ? page.next : undefined;
    } while (after !== undefined);
    return rows;
  }
}
