import { readdirSync } from 'node:fs';
import path from 'node:path';

import js from '@eslint/js';
import prettier from 'eslint-config-prettier/flat';
import { defineConfig, globalIgnores } from 'eslint/config';
import simpleImportSort from 'eslint-plugin-simple-import-sort';
import tseslint from 'typescript-eslint';

import { noCircle, uniqueFileName, uniqueTypeName } from './scripts/lint/structure.mjs';

/**
 * Which folders of src a folder may import from: the way of the data, one direction. Anything else is an error.
 * `telemetry` stands above those that it counts, so that it takes their types; they know its interfaces only.
 */
const layers = {
  base: [],
  json: ['base'],
  kube: ['base', 'json'],
  config: ['base', 'kube'],
  credentials: ['base', 'json', 'kube'],
  http: ['base', 'json', 'kube', 'credentials'],
  watch: ['base', 'json', 'kube', 'http'],
  kubelet: ['base', 'json', 'kube', 'credentials', 'http'],
  workload: ['base', 'kube'],
  forecast: ['base'],
  node: ['base', 'kube', 'kubelet', 'workload', 'forecast'],
  history: ['base', 'json', 'kube', 'kubelet', 'node', 'workload'],
  scrape: ['base', 'kube', 'kubelet', 'node', 'workload', 'history'],
  agent: ['base', 'node', 'scrape'],
  exposition: ['base', 'kube', 'kubelet', 'node', 'workload', 'history', 'scrape'],
  telemetry: ['base', 'kube', 'http', 'watch', 'kubelet', 'node', 'scrape', 'exposition'],
  report: ['base', 'kube', 'kubelet', 'node', 'workload', 'history', 'scrape', 'telemetry'],
  query: ['base', 'config', 'kube', 'kubelet', 'node', 'workload', 'history', 'scrape', 'report'],
  status: ['base', 'config', 'workload', 'report', 'query'],
  access: ['base', 'json', 'kube', 'http'],
  server: [
    'base',
    'json',
    'config',
    'access',
    'telemetry',
    'node',
    'scrape',
    'exposition',
    'report',
    'query',
    'status',
  ],
};

/** Files of src itself: no folder but the two above all others may know them. */
const rootFiles = readdirSync(path.join(import.meta.dirname, 'src'))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => path.basename(name, '.ts'))
  .join('|');

const layerRules = Object.entries(layers).map(([folder, allowed]) => {
  const forbidden = Object.keys(layers).filter((other) => other !== folder && !allowed.includes(other));
  return restricted([`src/${folder}/**/*.ts`], {
    regex: `^(?:\\.\\./)+(?:${[...forbidden, 'app', 'commands', 'sim'].join('/|')}/|(?:${rootFiles})\\.js$)`,
    message: `src/${folder} may import only from: ${allowed.join(', ') || 'nothing else in src'}.`,
  });
});

const rootRules = [
  restricted(['src/app/**/*.ts', 'src/*.ts'], {
    regex: '/(?:sim|commands)/|/cli\\.',
    message: 'The exporter must not know the simulation or the command line.',
  }),
  restricted(['sim/**/*.ts'], {
    regex: '/src/(?!base/)',
    message: 'The simulated cluster shares no parser with what it verifies: it may import only src/base.',
  }),
];

function restricted(files, pattern) {
  return { files, ignores: ['src/cli.ts'], rules: { 'no-restricted-imports': ['error', { patterns: [pattern] }] } };
}

/** What the script of the status page uses of a browser. */
const browserGlobals = Object.fromEntries(
  [
    'AbortSignal',
    'DOMParser',
    'document',
    'fetch',
    'getSelection',
    'location',
    'performance',
    'setInterval',
    'window',
  ].map((name) => [name, 'readonly']),
);

export default defineConfig(
  globalIgnores(['.cache', 'coverage', 'dist']),
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    plugins: { 'simple-import-sort': simpleImportSort },
    rules: {
      'simple-import-sort/imports': 'error',
      complexity: ['error', 10],
      'max-depth': ['error', 3],
      'max-params': ['error', 4],
      'max-lines-per-function': ['error', { max: 60, skipComments: true, skipBlankLines: true }],
      'max-lines': ['error', { max: 250, skipComments: true, skipBlankLines: true }],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Use named exports.' },
        { selector: 'ExportAllDeclaration', message: 'No barrels: import from the file that declares it.' },
        {
          // `found ?? [].slice(0, 3)` cuts the empty list: no rule of operators knows calls.
          selector:
            ':matches(LogicalExpression, ConditionalExpression) MemberExpression > ArrayExpression[elements.length=0].object',
          message: 'The method is called on the empty list alone: set parentheses.',
        },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // `import { type A }` loads the module all the same: client-node alone would cost 70 MB.
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  ...layerRules,
  ...rootRules,
  {
    files: ['src/**/*.ts', 'sim/**/*.ts'],
    plugins: { project: { rules: { 'unique-file-name': uniqueFileName, 'no-circle': noCircle } } },
    rules: { 'project/unique-file-name': 'error', 'project/no-circle': 'error' },
  },
  {
    files: ['src/**/*.ts'],
    plugins: { types: { rules: { 'unique-type-name': uniqueTypeName } } },
    rules: { 'types/unique-type-name': 'error' },
  },
  {
    files: ['src/**/*.js'],
    languageOptions: { sourceType: 'module', globals: browserGlobals },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      complexity: ['error', 10],
      'max-depth': ['error', 3],
      'max-params': ['error', 4],
      'max-lines-per-function': ['error', { max: 60, skipComments: true, skipBlankLines: true }],
      'max-lines': ['error', { max: 250, skipComments: true, skipBlankLines: true }],
      eqeqeq: 'error',
      'no-implicit-globals': 'error',
      'no-shadow': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'prefer-template': 'error',
      'require-await': 'error',
    },
  },
  { files: ['test/**'], rules: { 'max-lines-per-function': 'off', 'max-lines': 'off' } },
  { files: ['*.config.ts'], rules: { 'no-restricted-syntax': 'off' } },
  prettier,
);
