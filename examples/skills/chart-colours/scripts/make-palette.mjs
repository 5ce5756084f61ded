#!/usr/bin/env node
// Draws the palette as a PNG: one square for each colour, no library needed.
import { readFileSync, writeFileSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';

const SQUARE = 32;
const target = process.argv[2];
if (target === undefined || target === '--help' || target === '-h') {
  console.log('usage: node make-palette.mjs FILE.png');
  process.exit(target === undefined ? 2 : 0);
}

const { colours } = JSON.parse(readFileSync(new URL('../assets/palette.json', import.meta.url), 'utf8'));
const width = SQUARE * colours.length;
const row = Buffer.concat([
  Buffer.from([0]),
  ...colours.map(({ hex }) => Buffer.alloc(SQUARE * 3, Buffer.from(hex.slice(1), 'hex'))),
]);

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

const header = Buffer.alloc(13);
header.writeUInt32BE(width, 0);
header.writeUInt32BE(SQUARE, 4);
header.set([8, 2, 0, 0, 0], 8);
writeFileSync(
  target,
  Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(Array(SQUARE).fill(row)))),
    chunk('IEND', Buffer.alloc(0)),
  ]),
);
