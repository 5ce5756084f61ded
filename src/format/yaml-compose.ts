/**
 * YAML text to the document of the YAML library, within limits.
 *
 * @module
 */
import type { Document, Schema } from 'yaml';
import { SkillError } from '../errors.ts';
import { type Fault, FaultSignal } from './fault.ts';
import { explainYamlError } from './yaml-faults.ts';
import { yamlLibrary } from './yaml-library.ts';
import type { YamlLimits } from './yaml-node.ts';

/** The nesting that no option lifts: the YAML library recurses once a level, and a full stack can end the process. */
const HARD_DEPTH = 500;
/** Lexical tokens for one node at the most: indicator, marker, scalar, colon, space, line end. */
const LEXEMES_A_NODE = 6;

/** The lexeme before an unquoted scalar or the text of a block. */
const SCALAR_MARK = '\x1f';

const COMPOSER_OPTIONS = {
  version: '1.2',
  schema: 'failsafe',
  strict: true,
  // Checked below: the library's own check is quadratic in the number of keys.
  uniqueKeys: false,
  merge: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/** The schema of all documents without a tag: only a tag makes the library write into its schema. */
let sharedSchema: Schema | undefined;

/** Leaves the readers of one document. */
export function refuse(fault: Fault): never {
  throw new FaultSignal(fault);
}

/** Refuses a document for its size. */
export function tooLarge(what: string, limit: number, at: number): never {
  return refuse({
    code: 'FRONTMATTER_TOO_LARGE',
    message: `the frontmatter has more than ${limit.toLocaleString('en-US')} ${what}`,
    start: at,
    end: at,
    hint: 'keep the frontmatter small and move data into a file of the skill',
    details: { limit },
  });
}

/**
 * The one document of a YAML text, with every scalar as text, or a `FaultSignal`.
 *
 * Depth and number of values are checked before the library builds its tree: that recursion has no limit of its own.
 * Without `recheck`, which finds the first fault of a corrected text, it skips the words for what is wrong, and with them the search for a fix.
 */
export function composeYaml(
  text: string,
  limits: YamlLimits,
  recheck?: (text: string) => number | undefined,
): Document.Parsed {
  const { Composer, Lexer, Parser, Schema } = yamlLibrary();
  const parser = new Parser();
  const maxStack = Math.min(limits.maxDepth, HARD_DEPTH) + 4;
  const maxLexemes = limits.maxNodes * LEXEMES_A_NODE;
  const tokens = [];
  let lexemes = 0;
  let values = 0;
  let aliases = 0;
  let inScalar = false;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > maxStack) tooLarge('levels of nesting', maxStack - 4, parser.offset);
    // What the tree will be counted for, counted before it is built; the lexeme after a marker is text.
    if (!inScalar) {
      const first = lexeme[0];
      if (first === '*') {
        if (++aliases > limits.maxAliases) tooLarge('aliases', limits.maxAliases, parser.offset);
      } else if (lexeme === SCALAR_MARK || first === '"' || first === "'") values++;
    }
    inScalar = lexeme === SCALAR_MARK;
    if (++lexemes > maxLexemes || values > limits.maxNodes)
      tooLarge('values', limits.maxNodes, parser.offset);
  }
  for (const token of parser.end()) tokens.push(token);

  sharedSchema ??= new Schema({ schema: 'failsafe', merge: false, resolveKnownTags: true });
  const composer = new Composer(
    text.includes('!') ? COMPOSER_OPTIONS : { ...COMPOSER_OPTIONS, schema: sharedSchema },
  );
  let document: Document.Parsed | undefined;
  for (const next of composer.compose(tokens, true, text.length)) {
    if (document !== undefined) {
      refuse({
        code: 'INVALID_YAML',
        message: 'the frontmatter holds a second YAML document',
        start: next.range[0],
        end: next.range[0],
        hint: 'remove the line that begins with "---" or "..." inside the frontmatter',
      });
    }
    document = next as Document.Parsed;
    const [error] = document.errors;
    if (error !== undefined) {
      const [start, end] = error.pos;
      if (recheck === undefined) refuse({ code: 'INVALID_YAML', message: error.message, start, end });
      refuse(explainYamlError(text, error.code, start, end, recheck));
    }
  }
  if (document === undefined) throw new SkillError('INTERNAL', 'the YAML library made no document');
  return document;
}
