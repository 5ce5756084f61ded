#!/usr/bin/env node
// Prints places in a skill that a reviewer should look at. Reads only; runs nothing.
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const folder = process.argv[2];
if (folder === undefined || folder === '--help' || folder === '-h') {
  console.log('usage: node find-risks.mjs SKILL-FOLDER\n\nExit code: 0 nothing found, 1 places to look at, 2 cannot read.');
  process.exit(folder === undefined ? 2 : 0);
}

const RULES = [
  ['hidden characters', /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\u{e0000}-\u{e007f}]/u],
  ['terminal controls', /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/u],
  ['HTML comment', /<!--/],
  ['outranks the user', /\b(ignore|disregard|override)\b.{0,40}\b(instruction|prompt|rule)s?\b|do not (tell|inform|mention)/i],
  ['acts without asking', /without (asking|confirmation|telling)|never ask|skip (the )?(confirmation|approval)/i],
  ['downloads and runs', /\b(curl|wget|iwr|irm)\b[^\n]*\|\s*(sudo\s+)?(ba|z|da)?sh\b|\|\s*iex\b/i],
  ['destroys', /\brm\s+-[a-z]*(rf|fr)[a-z]*\b|\bmkfs\b|\bdd\s+if=|push\s+(-f\b|--force\b)|\bdrop\s+(table|database)\b/i],
  ['evaluates code', /\beval\s*\(|\bexec\s*\(|\bnew Function\s*\(|child_process|subprocess|os\.system/],
  ['network', /\bfetch\s*\(|https?\.request|urllib|requests\.(get|post)|\bcurl\b|\bwget\b|net\.connect/],
  ['credentials', /\.ssh\/|\.aws\/|\.netrc|\.npmrc|id_rsa|keychain|process\.env\b|os\.environ|\b(api[_-]?key|secret[_-]?key|password)\s*[=:]/i],
  ['persists', /\.(bashrc|zshrc|profile)\b|crontab|launchctl|systemctl|schtasks|settings\.json/i],
  ['long encoded text', /[A-Za-z0-9+/=]{200,}|(\\x[0-9a-f]{2}){20,}/i],
  ['leaves the folder', /(^|[\s"'(])\.\.\//],
];

const display = (text) => text.trim().slice(0, 120).replace(/[^\x20-\x7e]/g, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
let found = 0;
function report(path, line, what, text) {
  found += 1;
  console.log(`${relative(folder, path).split(sep).join('/')}${line === 0 ? '' : `:${line}`}: ${what}${text === '' ? '' : `: ${display(text)}`}`);
}

function visit(path) {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return report(path, 0, 'symbolic link', '');
  if (stat.isDirectory()) {
    for (const name of readdirSync(path).sort()) visit(join(path, name));
    return;
  }
  if (!stat.isFile()) return report(path, 0, 'special file', '');
  const bytes = readFileSync(path);
  if (bytes.includes(0)) return report(path, 0, 'binary, read it some other way', '');
  bytes
    .toString('utf8')
    .split('\n')
    .forEach((line, index) => {
      for (const [what, pattern] of RULES) if (pattern.test(line)) report(path, index + 1, what, line);
    });
}

try {
  visit(folder);
} catch (error) {
  console.error(`cannot read ${folder}: ${error.code ?? error.message}`);
  process.exit(2);
}
process.exit(found === 0 ? 0 : 1);
