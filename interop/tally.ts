/** Counts what holds and what does not, and says which peers were not there. */
export class Tally {
  passed = 0;
  failed = 0;
  readonly #notRun: string[] = [];

  /** Counts one check; what went wrong is told. */
  check(what: string, holds: boolean, detail: unknown = ''): void {
    if (holds) {
      this.passed += 1;
      return;
    }
    this.failed += 1;
    const shown = typeof detail === 'string' ? detail : JSON.stringify(detail);
    console.error(`FAIL ${what}${shown === '' ? '' : `: ${shown.slice(0, 3_000)}`}`);
  }

  /** Counts one check that two values are equal as JSON. */
  same(what: string, actual: unknown, expected: unknown): void {
    const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
    this.check(what, is === should, `is ${is?.slice(0, 1_400)}, should be ${should?.slice(0, 1_400)}`);
  }

  /** Something that the peer does wrong, whatever the server does. */
  peer(what: string): void {
    console.log(`peer's fault: ${what}`);
  }

  notRun(what: string, why: string): void {
    this.#notRun.push(what);
    console.log(`not run: ${what}: ${why}`);
  }

  /** The line that the gate reads. */
  end(): void {
    if (this.#notRun.length > 0) console.log(`${this.#notRun.length} not run: ${this.#notRun.join(', ')}`);
    console.log(`interop: ${this.passed} passed, ${this.failed} failed`);
    process.exitCode = this.failed > 0 ? 1 : 0;
  }
}
