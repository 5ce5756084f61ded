/**
 * What a server that lies is made of.
 *
 * @module
 */
import type { JSONObject } from '@modelcontextprotocol/server';
import type { ClientDialect } from '../../client/index.ts';
import type { SkillErrorCode } from '../../errors.ts';

/**
 * The moment at which a client has to notice: `list` (the entry is refused, or the listing is not whole), `get`, `read`
 * (a file of the skill), `directory` (a child that the entry lacks), `write` (what may be read and must not become a
 * file of that name).
 */
export type HostileMoment = 'list' | 'get' | 'read' | 'directory' | 'write';

/** One way to lie. */
export interface HostileCase {
  /** What {@link openHostile} takes. */
  readonly name: string;
  /** What the server does. */
  readonly lies: string;
  readonly at: HostileMoment;
  /** The code with which `SkillsClient` and, at `write`, `skillwire pull` refuse it. */
  readonly expect: SkillErrorCode;
  /** The `SKILL.md` that the lie is about; absent where it is about the server as a whole. */
  readonly skill?: string;
  /** The file of that skill to read; absent: its `SKILL.md`. */
  readonly file?: string;
  readonly dialect: ClientDialect;
  /** It can be told over HTTP alone. */
  readonly onlyHttp: boolean;
  /** The honest skill beside the lie, which must stay usable; absent where nothing of the server can be. */
  readonly neighbour?: string;
}

/** A result, as it goes out. */
export type HostileAnswer = Readonly<Record<string, unknown>>;

/** One request as the server got it. */
export interface HostileRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A document of a web server. */
export interface HostileDocument {
  readonly type: string;
  readonly body: Uint8Array;
}

/** How a server answers, with its memory; made anew each time a case is opened. */
export interface HostileScript {
  /** The settings of the extension; absent: it is not declared. */
  readonly extension?: JSONObject;
  /** A result; undefined: the method is not known. Throws `RpcError` for an error of its own. */
  readonly answer: (request: HostileRequest) => HostileAnswer | Promise<HostileAnswer> | undefined;
  /** By path of the URL. */
  readonly documents?: ReadonlyMap<string, HostileDocument>;
  /** Over HTTP the answer of this method begins and never ends. */
  readonly drips?: string;
}

/** A case with what it takes to play it. */
export interface HostileDefinition extends HostileCase {
  readonly script: () => HostileScript;
}

/** The error of a server. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
