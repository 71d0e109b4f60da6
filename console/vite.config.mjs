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
  plugins: [react(), compressed()],
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
