/** Reads the TOML that clients' configuration needs: tables, basic strings, arrays of them. Anything else throws. */
export function parseToml(text: string): Record<string, Record<string, unknown>> {
  const tables: Record<string, Record<string, unknown>> = {};
  let table: Record<string, unknown> | undefined;
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const head = /^\[([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)\]$/.exec(line);
    if (head?.[1] !== undefined) {
      if (tables[head[1]] !== undefined) throw new Error(`table ${head[1]} stands twice`);
      table = tables[head[1]] = {};
      continue;
    }
    const pair = /^([A-Za-z0-9_-]+) = (.+)$/.exec(line);
    if (pair?.[1] === undefined || pair[2] === undefined || table === undefined)
      throw new Error(`not TOML: ${line}`);
    table[pair[1]] = parseValue(pair[2]);
  }
  return tables;
}

function parseValue(text: string): unknown {
  const { value, rest } = text.startsWith('[') ? array(text.slice(1)) : string(text);
  if (rest !== '') throw new Error(`more after a value: ${rest}`);
  return value;
}

function array(text: string): { value: string[]; rest: string } {
  const value: string[] = [];
  let rest = text;
  while (!rest.startsWith(']')) {
    const item = string(rest);
    value.push(item.value);
    rest = item.rest.replace(/^, /, '');
  }
  return { value, rest: rest.slice(1) };
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  '"': '"',
  '\\': '\\',
};

function string(text: string): { value: string; rest: string } {
  // Basic strings hold no raw control character and only these escapes (TOML 1.0).
  const found = /^"((?:[^"\\\u0000-\u0008\u000a-\u001f\u007f]|\\(?:[btnfr"\\]|u[0-9A-Fa-f]{4}))*)"/.exec(
    text,
  );
  if (found?.[1] === undefined) throw new Error(`no basic string: ${text}`);
  const value = found[1].replace(
    /\\(?:u([0-9A-Fa-f]{4})|(.))/g,
    (_, hex: string | undefined, name: string) =>
      hex === undefined ? (ESCAPES[name] ?? name) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return { value, rest: text.slice(found[0].length) };
}
