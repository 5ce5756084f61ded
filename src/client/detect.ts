/**
 * Which dialect a server speaks.
 *
 * @module
 */
import { isSkillError, SkillError } from '../errors.ts';
import { quote } from '../uri/quote.ts';
import type { Connection } from './connection.ts';
import type { DialectReader, RequestScope } from './dialect.ts';
import { SharedRuns } from './shared-runs.ts';
import type { ClientDialect, ListingProblem } from './skill.ts';

/** What was found out about a server. */
export interface Detected {
  /** Undefined: it speaks none of those that were looked for. */
  readonly reader: DialectReader | undefined;
  /** What a user should know about how it was found. */
  readonly problems: readonly ListingProblem[];
}

/**
 * The dialects in the order in which they are looked for: `released`, `draft-index`, `fastmcp`, `well-known`, `plain`
 * (design, dialects). The answer is kept for as long as the connection lives.
 */
export class Dialects {
  readonly #connection: Connection;
  readonly #readers: readonly DialectReader[];
  readonly #forced: boolean;
  readonly #runs: SharedRuns<Detected> = new SharedRuns();
  #known: { readonly detected: Detected; readonly generation: number } | undefined;
  /** The methods of the extension are declared and not answered on this connection. */
  #blocked: { readonly error: SkillError; readonly generation: number } | undefined;
  #answered = false;

  /** With `forced`, the only reader is used without a question. */
  constructor(connection: Connection, readers: readonly DialectReader[], forced: boolean) {
    this.#connection = connection;
    this.#readers = readers;
    this.#forced = forced;
  }

  /** Whether the dialect was named, so that none is looked for. */
  get isForced(): boolean {
    return this.#forced;
  }

  /**
   * What `use` makes of the reader of this server, or `none` when there is no reader for it. When a server declares the
   * extension and answers `-32601` all the same, as one behind a proxy does, or one of the draft, the next dialect is
   * used and the problems say so.
   *
   * Errors: those of detecting and of `use`.
   *
   * @example
   * await dialects.with(scope, ({ reader }) => reader.list(scope), () => [])
   */
  async with<T>(
    scope: RequestScope,
    use: (reader: DialectReader, problems: readonly ListingProblem[]) => Promise<T>,
    none: (problems: readonly ListingProblem[]) => T,
  ): Promise<T> {
    const { reader, problems } = await this.detect(scope);
    if (reader === undefined) return none(problems);
    try {
      const result = await use(reader, problems);
      if (reader.dialect === 'released') this.#answered = true;
      return result;
    } catch (error) {
      if (!this.#isBlocked(reader, error)) throw error;
    }
    const next = await this.detect(scope);
    return next.reader === undefined ? none(next.problems) : use(next.reader, next.problems);
  }

  /**
   * The reader that skills of a dialect came from.
   *
   * Errors: `USAGE` when this client does not read that dialect.
   */
  readerOf(dialect: ClientDialect): DialectReader {
    const reader = this.#readers.find((each) => each.dialect === dialect);
    if (reader !== undefined) return reader;
    throw new SkillError('USAGE', `this client does not read the dialect ${quote(String(dialect))}`, {
      details: { dialect },
    });
  }

  /** The reader in use, if the server was looked at on this connection; nothing is sent. */
  get known(): DialectReader | undefined {
    return this.#known?.generation === this.#connection.generation ? this.#known.detected.reader : undefined;
  }

  /** Whether the server counts as one of the released form, as far as is known without a question. */
  get isReleased(): boolean {
    const known = this.known;
    if (known !== undefined) return known.dialect === 'released';
    return this.#connection.skillsSettings !== undefined && !isDraftDeclaration(this.#connection);
  }

  /** What is known of the server, after the questions that takes. */
  async detect(scope: RequestScope): Promise<Detected> {
    const { generation } = this.#connection;
    if (this.#known?.generation === generation) return this.#known.detected;
    if (this.#blocked !== undefined && this.#blocked.generation !== generation) this.#blocked = undefined;
    const detected = await this.#runs.run(
      `${generation}${this.#blocked === undefined ? '' : ' blocked'}`,
      (signal) => this.#look({ signal }),
      scope.signal,
    );
    // A server may begin to serve skills at any time.
    if (detected.reader !== undefined) this.#known = { detected, generation };
    return detected;
  }

  #isBlocked(reader: DialectReader, error: unknown): boolean {
    if (this.#forced || this.#answered || reader.dialect !== 'released') return false;
    if (!isSkillError(error, 'METHOD_NOT_FOUND')) return false;
    this.#blocked = { error, generation: this.#connection.generation };
    this.#known = undefined;
    return true;
  }

  async #look(scope: RequestScope): Promise<Detected> {
    const [only] = this.#readers;
    if (this.#forced) return { reader: only, problems: [] };
    const problems: ListingProblem[] = [];
    const blocked = this.#blocked;
    if (blocked !== undefined && !isDraftDeclaration(this.#connection)) {
      const message =
        'the server declares the skills extension and does not answer its methods, as behind a proxy that does not know them; another dialect is read';
      problems.push({ code: blocked.error.code, message });
    }
    for (const reader of this.#readers) {
      if (reader.dialect === 'released' && blocked !== undefined) continue;
      try {
        if (await reader.detect(scope)) return { reader, problems };
      } catch (error) {
        if (!isSkillError(error) || error.code === 'SERVER_UNREACHABLE') throw error;
        problems.push({
          code: error.code,
          message: `looking for the dialect ${reader.dialect} failed: ${error.message}`,
        });
      }
    }
    return { reader: undefined, problems };
  }
}

/** Whether the extension is declared as the draft had it: settings in an envelope, with the draft's version. */
function isDraftDeclaration(connection: Connection): boolean {
  return typeof connection.skillsSettings?.specVersion === 'string';
}
