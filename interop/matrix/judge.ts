import type {
  CellField,
  CellMarks,
  ClientAdapter,
  ClientResult,
  Mark,
  ServerAdapter,
  Way,
} from './adapter.ts';
import type { Corpus, CorpusPart } from './corpus.ts';
import { FAULTS, type Fault } from './faults.ts';

/** One connection of the matrix. */
export interface Cell extends Way {
  readonly server: Pick<ServerAdapter, 'name' | 'notifies'>;
  readonly client: Pick<ClientAdapter, 'name' | 'reads' | 'verifies' | 'hears'>;
  readonly bridge?: string;
}

/** Whether it is known of a cell that no notification comes, with a corpus of that size. */
export function isKnownToBeDeaf(cell: Cell, { size }: Pick<Corpus, 'size'>): boolean {
  return FAULTS.some(
    (fault) => (fault.size ?? size) === size && fault.fields.includes('notified') && concerns(fault, cell),
  );
}

/** What was found of a cell. */
export interface Judged {
  readonly marks: CellMarks;
  /** What no known fault explains. */
  readonly wrong: readonly string[];
  readonly met: readonly Fault[];
  /** Known faults of which nothing showed. */
  readonly stale: readonly Fault[];
}

/** Something that does not hold. */
interface Finding {
  readonly field: CellField;
  /** Absent: the cell as a whole. */
  readonly part: CorpusPart | undefined;
  readonly said: string;
}

const FIELDS: readonly CellField[] = ['listed', 'read', 'bytes', 'verified', 'notified'];

/** Compares what a client came to with the corpus, and what does not hold with the faults that are known. */
export function judge(cell: Cell, corpus: Corpus, result: ClientResult): Judged {
  return explain(cell, corpus, findingsOf(cell, corpus, result), result);
}

/** A cell in which the client came to nothing at all. */
export function broken(cell: Cell, corpus: Pick<Corpus, 'size'>, message: string): Judged {
  return explain(cell, corpus, [{ field: 'listed', part: undefined, said: message }], undefined);
}

function explain(
  cell: Cell,
  { size }: Pick<Corpus, 'size'>,
  findings: readonly Finding[],
  result: ClientResult | undefined,
): Judged {
  const known = FAULTS.filter((fault) => (fault.size ?? size) === size && concerns(fault, cell));
  const met = new Set<Fault>();
  const wrong: string[] = [];
  const faults = new Map<CellField, Set<string>>();
  const failed = new Set<CellField>();
  for (const { field, part, said } of findings) {
    const fault = known.find(
      (each) =>
        each.fields.includes(field) &&
        (each.says?.test(said) ?? true) &&
        (each.parts === undefined || (part !== undefined && each.parts.includes(part))),
    );
    if (fault === undefined) {
      wrong.push(`${field}${part === undefined ? '' : ` (${part})`}: ${said}`);
      failed.add(field);
      continue;
    }
    met.add(fault);
    faults.set(field, (faults.get(field) ?? new Set()).add(fault.what));
  }
  const mark = (field: CellField): Mark => {
    if (failed.has(field)) return 'no';
    const named = faults.get(field);
    if (named !== undefined) return `peer: ${[...named].join('; ')}`;
    return isAsked(cell, field, result) ? 'yes' : '–';
  };
  const marks = Object.fromEntries(FIELDS.map((field) => [field, mark(field)])) as unknown as CellMarks;
  return { marks, wrong, met: [...met], stale: known.filter((fault) => !shows(fault, findings)) };
}

/** Each part that a fault names has to show it, but for those that do not come so far. */
function shows(fault: Fault, findings: readonly Finding[]): boolean {
  const of = findings.filter(({ field }) => fault.fields.includes(field) || field === 'listed');
  const { parts } = fault;
  // Where nothing came at all, nothing can be said.
  if (of.some(({ part, field }) => part === undefined && field === 'listed')) return true;
  if (parts === undefined) return of.some(({ field }) => fault.fields.includes(field));
  return parts.every((part) => of.some((finding) => finding.part === part));
}

function isAsked(cell: Cell, field: CellField, result: ClientResult | undefined): boolean {
  if (result === undefined) return false;
  if (field === 'notified' && result.notified === undefined) return false;
  if (field === 'verified' && result.verified === undefined) return false;
  return canShow(field, cell.server, cell.client);
}

function concerns(fault: Fault, { server, client, bridge, transport, era }: Cell): boolean {
  return (
    (fault.server?.includes(server.name) ?? true) &&
    (fault.client?.includes(client.name) ?? true) &&
    (fault.bridge === undefined ||
      (bridge === undefined ? fault.bridge.length === 0 : fault.bridge.includes(bridge))) &&
    (fault.ways?.transport ?? transport) === transport &&
    (fault.ways?.era ?? era) === era &&
    fault.fields.some((field) => canShow(field, server, client))
  );
}

/** Whether the two can do at all what the field says. */
function canShow(field: CellField, server: Cell['server'], client: Cell['client']): boolean {
  if (field === 'notified') return server.notifies && client.hears;
  if (field === 'verified') return client.verifies;
  return field === 'listed' || client.reads;
}

function findingsOf(cell: Cell, corpus: Corpus, result: ClientResult): Finding[] {
  const findings: Finding[] = [];
  const listed = new Set(result.listed.map(skillOf));
  const bytes = byPath(result.bytes);
  const errors = byPath(result.errors);
  for (const { part, name, roots, files } of corpus.skills) {
    // Documents of a web server name skills and no folders above them.
    const places = result.dialect === 'well-known' ? [name] : roots;
    const root = places.find((each) => listed.has(each));
    if (root === undefined) {
      findings.push({ field: 'listed', part, said: `no skill at ${places.join(' or ')}` });
      continue;
    }
    for (const path of Object.keys(files)) {
      const at = `${root}/${path}`;
      const error = errors.get(at);
      const hash = bytes.get(at);
      if (cell.client.reads && hash === undefined) {
        findings.push({ field: 'read', part, said: `${at}: ${error ?? 'not asked for'}` });
      } else if (hash !== undefined && hash !== files[path]) {
        findings.push({ field: 'bytes', part, said: `${at} has other bytes` });
      }
      if (cell.client.verifies && !cell.client.reads && error !== undefined) {
        findings.push({ field: 'verified', part, said: `${at}: ${error}` });
      }
    }
  }
  if (
    cell.client.verifies &&
    result.verified === false &&
    !findings.some(({ field }) => field === 'verified')
  ) {
    const said = result.problems?.join('; ') ?? 'it says no more';
    findings.push({ field: 'verified', part: undefined, said });
  }
  if (cell.server.notifies && cell.client.hears && result.notified === false) {
    findings.push({ field: 'notified', part: undefined, said: 'no notification came' });
  }
  return findings;
}

/** The folder of a skill, below the corpus. */
function skillOf(uri: string): string {
  const path = pathOf(uri);
  return path.endsWith('/SKILL.md') ? path.slice(0, -'/SKILL.md'.length) : path;
}

function pathOf(uri: string): string {
  const segments = uri
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .split('/')
    .map(decode);
  if (!/^https?:/i.test(uri)) return segments.join('/');
  // A file of its own: host and folders say how it is hosted.
  return segments.slice(segments.lastIndexOf('skills') + 1).join('/');
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function byPath(values: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(Object.entries(values).map(([uri, value]) => [pathOf(uri), value]));
}
