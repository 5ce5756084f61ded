/**
 * MIME types by extension. One table for every machine: what the operating system thinks is never asked.
 *
 * @module
 */

/** What a file is whose type is unknown. */
export const UNKNOWN_MIME_TYPE = 'application/octet-stream';

/** Types and their extensions. The first seven are those that seed 000 fixes. No type has a charset: text is UTF-8. */
const TYPES: Readonly<Record<string, string>> = {
  'text/markdown': 'md markdown mdown mkd',
  'application/json': 'json webmanifest ipynb',
  'text/x-python': 'py pyi',
  'application/javascript': 'js',
  'text/html': 'html htm',
  'text/css': 'css',
  'text/plain': 'txt text log',

  'application/geo+json': 'geojson',
  'application/jsonl': 'jsonl ndjson',
  'application/ld+json': 'jsonld',
  'application/json5': 'json5',
  'application/sql': 'sql',
  'application/toml': 'toml',
  'application/typescript': 'ts mts cts',
  'application/xhtml+xml': 'xhtml',
  'application/yaml': 'yaml yml',
  'text/calendar': 'ics',
  'text/csv': 'csv',
  'text/javascript': 'mjs cjs',
  'text/jsx': 'jsx',
  'text/mdx': 'mdx',
  'text/tab-separated-values': 'tsv',
  'text/tsx': 'tsx',
  'text/vtt': 'vtt',
  'text/xml': 'xml xsd xsl xslt',
  'text/x-asciidoc': 'adoc asciidoc',
  'text/x-bat': 'bat cmd',
  'text/x-bibtex': 'bib',
  'text/x-c': 'c h',
  'text/x-c++': 'cc cpp cxx hh hpp hxx',
  'text/x-clojure': 'clj cljs',
  'text/x-csharp': 'cs',
  'text/x-dart': 'dart',
  'text/x-diff': 'diff patch',
  'text/x-elixir': 'ex exs',
  'text/x-go': 'go',
  'text/x-graphql': 'graphql gql',
  'text/x-haskell': 'hs',
  'text/x-ini': 'ini cfg conf properties',
  'text/x-java': 'java',
  'text/x-julia': 'jl',
  'text/x-kotlin': 'kt kts',
  'text/x-less': 'less',
  'text/x-lua': 'lua',
  'text/x-mermaid': 'mmd mermaid',
  'text/x-org': 'org',
  'text/x-perl': 'pl pm',
  'text/x-php': 'php',
  'text/x-powershell': 'ps1 psm1 psd1',
  'text/x-protobuf': 'proto',
  'text/x-r': 'r',
  'text/x-rst': 'rst',
  'text/x-ruby': 'rb',
  'text/x-rust': 'rs',
  'text/x-scala': 'scala',
  'text/x-scss': 'scss sass',
  'text/x-shellscript': 'sh bash zsh fish',
  'text/x-swift': 'swift',
  'text/x-svelte': 'svelte',
  'text/x-terraform': 'tf tfvars hcl',
  'text/x-tex': 'tex sty cls',
  'text/x-vue': 'vue',

  'image/avif': 'avif',
  'image/bmp': 'bmp',
  'image/gif': 'gif',
  'image/heic': 'heic',
  'image/jpeg': 'jpg jpeg',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/tiff': 'tif tiff',
  'image/webp': 'webp',
  'image/x-icon': 'ico',
  'audio/flac': 'flac',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'audio/ogg': 'ogg oga opus',
  'audio/wav': 'wav',
  'video/mp4': 'mp4 m4v',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'font/otf': 'otf',
  'font/ttf': 'ttf',
  'font/woff': 'woff',
  'font/woff2': 'woff2',

  'application/epub+zip': 'epub',
  'application/gzip': 'gz tgz',
  'application/java-archive': 'jar',
  'application/msword': 'doc',
  'application/pdf': 'pdf',
  'application/rtf': 'rtf',
  'application/vnd.apache.parquet': 'parquet',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/vnd.oasis.opendocument.presentation': 'odp',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.presentationml.template': 'potx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.template': 'xltx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.template': 'dotx',
  'application/vnd.sqlite3': 'sqlite sqlite3 db',
  'application/wasm': 'wasm',
  'application/x-7z-compressed': '7z',
  'application/x-bzip2': 'bz2',
  'application/x-tar': 'tar',
  'application/x-xz': 'xz',
  'application/zip': 'zip',
  'application/zstd': 'zst',
};

const BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.entries(TYPES).flatMap(([type, extensions]) =>
    extensions.split(' ').map((extension): [string, string] => [extension, type]),
  ),
);

function known(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  if (dot === -1) return undefined;
  const extension = name.slice(dot + 1);
  return BY_EXTENSION.get(extension) ?? BY_EXTENSION.get(extension.toLowerCase());
}

/**
 * The MIME type of a path by its last extension, compared without case and without a charset; for an unknown one
 * `application/octet-stream`. Seed 000, requirement S22.
 *
 * @example
 * mimeTypeOf('references/GUIDE.MD') // 'text/markdown'
 */
export function mimeTypeOf(path: string): string {
  return known(path) ?? UNKNOWN_MIME_TYPE;
}

/**
 * The MIME type of a file whose bytes were seen: `text` says that they are valid UTF-8, as `SkillFile.text` does.
 *
 * As {@link mimeTypeOf}, but an unknown extension (`LICENSE`, `.gitignore`) is `text/plain` when the bytes are text;
 * and a `text/…` type is `application/octet-stream` when they are not, since such a file goes out as base64, which a
 * client must not show as prose.
 *
 * @example
 * mimeTypeFor('LICENSE', true) // 'text/plain'
 */
export function mimeTypeFor(path: string, text: boolean): string {
  const type = known(path);
  if (text) return type ?? 'text/plain';
  return type === undefined || type.startsWith('text/') ? UNKNOWN_MIME_TYPE : type;
}
