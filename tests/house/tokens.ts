/** Splits TypeScript into tokens, so that the house's rules see code and neither comments nor the text of strings. */
export interface Token {
  readonly kind: 'word' | 'string' | 'template' | 'regex' | 'punct' | 'doc';
  /** The text; of a string, what stands between the quotes. */
  readonly text: string;
  readonly line: number;
}

const WORD = /[\p{ID_Start}$_#@][\p{ID_Continue}$]*/uy;
const NUMBER = /\d[\w.]*/y;
/** After one of these words a slash begins a regular expression and no division. */
const BEFORE_REGEX = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'delete',
  'void',
  'throw',
  'new',
  'else',
  'await',
  'yield',
]);

/** The tokens of `code`: block comments that begin with two stars stay as `doc`, all other comments are dropped. */
export function tokenize(code: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let line = 1;
  /** Depth of braces at which each open template literal continues. */
  const templates: number[] = [];
  let braces = 0;

  const push = (kind: Token['kind'], text: string, end: number): void => {
    tokens.push({ kind, text, line });
    for (let index = at; index < end; index++) if (code.charCodeAt(index) === 10) line++;
    at = end;
  };
  const skip = (end: number): void => {
    for (let index = at; index < end; index++) if (code.charCodeAt(index) === 10) line++;
    at = end;
  };
  const regexMayStart = (): boolean => {
    const last = tokens.findLast((token) => token.kind !== 'doc');
    if (last === undefined) return true;
    if (last.kind === 'word') return BEFORE_REGEX.has(last.text);
    return last.kind === 'punct' && last.text !== ')' && last.text !== ']' && last.text !== '}';
  };
  /** From just after a backtick or a closing brace to the end of that piece of template. */
  const template = (from: number): void => {
    let end = from;
    while (end < code.length) {
      if (code[end] === '\\') end += 2;
      else if (code[end] === '`') {
        push('template', code.slice(from, end), end + 1);
        return;
      } else if (code[end] === '$' && code[end + 1] === '{') {
        push('template', code.slice(from, end), end + 2);
        templates.push(braces);
        return;
      } else end++;
    }
    throw new Error(`template literal without an end in line ${line}`);
  };

  while (at < code.length) {
    const char = code[at] as string;
    if (/\s/.test(char)) skip(at + 1);
    else if (code.startsWith('//', at) || code.startsWith('#!', at)) {
      const end = code.indexOf('\n', at);
      skip(end === -1 ? code.length : end);
    } else if (code.startsWith('/*', at)) {
      const end = code.indexOf('*/', at + 2) + 2;
      if (end === 1) throw new Error(`comment without an end in line ${line}`);
      if (code.startsWith('/**', at)) push('doc', code.slice(at, end), end);
      else skip(end);
    } else if (char === "'" || char === '"') {
      let end = at + 1;
      while (end < code.length && code[end] !== char) end += code[end] === '\\' ? 2 : 1;
      push('string', code.slice(at + 1, end), end + 1);
    } else if (char === '`') template(at + 1);
    else if (char === '/' && regexMayStart()) {
      let end = at + 1;
      let inClass = false;
      while (end < code.length && (inClass || code[end] !== '/')) {
        if (code[end] === '\\') end++;
        else if (code[end] === '[') inClass = true;
        else if (code[end] === ']') inClass = false;
        end++;
      }
      end++;
      while (/[a-z]/.test(code[end] ?? '')) end++;
      push('regex', code.slice(at, end), end);
    } else {
      WORD.lastIndex = at;
      NUMBER.lastIndex = at;
      const word = WORD.exec(code) ?? NUMBER.exec(code);
      if (word !== null) push('word', word[0], at + word[0].length);
      else if (char === '}' && templates.length > 0 && templates.at(-1) === braces) {
        templates.pop();
        template(at + 1);
      } else {
        if (char === '{') braces++;
        if (char === '}') braces--;
        push('punct', char, at + 1);
      }
    }
  }
  return tokens;
}
