import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const COMPRESSED_TYPES = new Set(['.css', '.html', '.js', '.json', '.svg']);
const MIN_COMPRESSED_BYTES = 512;
/** Where `npm run dev` has the server. */
const server = process.env.EVERSTEP_URL ?? `http://localhost:${process.env.PORT ?? 3000}`;

export default defineConfig({
  base: '/console/',
  plugins: [react(), usedCalls(), compressed()],
  build: {
    outDir: process.env.CONSOLE_OUT ?? 'dist',
    emptyOutDir: true,
    target: 'es2023',
    manifest: true,
    // The policy of the console refuses data: as a source of scripts and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: {
      // Beside the console: the page of chats for visitors, and the widget for other sites. They share no file with it.
      input: { index: 'index.html', chat: 'src/visitors/chat.ts', widget: 'src/visitors/widget.ts' },
      output: {
        // What the first page has in any case is one file: pages that share parts of it would split it into many.
        codeSplitting: {
          groups: [
            {
              name: 'base',
              test: /console[\\/]src[\\/](?:ui[\\/](?:badge|button|classes|icon|notice|page|short-table|states|table-frame|time|toast|chart)\.|model[\\/](?:format|status|chart)\.)/,
            },
          ],
        },
      },
    },
  },
  server: {
    port: Number(process.env.CONSOLE_PORT ?? 5173),
    // The tests' screenshots and the server's data change meanwhile.
    watch: { ignored: ['**/dist/**', '**/dist-*/**'] },
    proxy: Object.fromEntries(
      ['/api', '/public', '/webhooks', '/docs', '/openapi.json', '/health'].map((path) => [path, { target: server }]),
    ),
  },
});

/**
 * Leaves the operations out of the client's table that no source of the console names: the table is part of the first page, and
 * grows with the API. Of a group that is handed on as a whole, all of them stay.
 */
function usedCalls() {
  return {
    name: 'used-calls',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('clients/typescript/src/api.ts')) return null;
      const used = callsIn(join(import.meta.dirname, 'src'));
      const isUsed = (group, name) => used.has(group) || used.has(`${group}.${name}`);
      return code.replaceAll(/^ {2}"(\w+)\.(\w+)": \{.*\n/gm, (line, group, name) => (isUsed(group, name) ? line : ''));
    },
  };
}

/** Names of operations, and of groups, that are members of a client in the sources. */
function callsIn(folder) {
  const used = new Set();
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!/\.tsx?$/.test(name)) continue;
    const source = readFileSync(join(folder, name), 'utf8');
    if (/\b(?:api|streams|publicApi)\s*\[/.test(source)) throw new Error(`${name}: name the operations of the client`);
    for (const [, group, call] of source.matchAll(/\b(?:api|streams|publicApi)\s*\.\s*(\w+)(?:\s*\.\s*(\w+))?/g))
      used.add(call === undefined ? group : `${group}.${call}`);
  }
  return used;
}

/** Writes a .br and a .gz file beside every text of the build, so that the gateway compresses nothing. */
function compressed() {
  return {
    name: 'compressed',
    apply: 'build',
    writeBundle({ dir }) {
      for (const name of readdirSync(dir, { recursive: true })) {
        const path = join(dir, name);
        if (!COMPRESSED_TYPES.has(extname(path)) || statSync(path).size < MIN_COMPRESSED_BYTES) continue;
        const bytes = readFileSync(path);
        const params = {
          [constants.BROTLI_PARAM_QUALITY]: 10,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        };
        writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
        writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
      }
    },
  };
}
