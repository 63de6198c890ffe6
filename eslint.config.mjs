import path from 'node:path';

import js from '@eslint/js';
import prettier from 'eslint-config-prettier/flat';
import { defineConfig, globalIgnores } from 'eslint/config';
import simpleImportSort from 'eslint-plugin-simple-import-sort';
import tseslint from 'typescript-eslint';

import { noCircle, uniqueFileName, uniqueTypeName } from './scripts/lint/structure.mjs';

/**
 * Which folders of src a folder may import from: the way of the data, one direction. Anything else is an error.
 */
const layers = {
  lib: [],
  cluster: ['lib'],
  config: ['lib', 'cluster'],
  facts: ['lib', 'cluster'],
  agent: ['lib', 'facts'],
  metrics: ['lib', 'cluster', 'facts'],
  people: ['lib', 'cluster', 'config', 'facts'],
  serve: ['lib', 'cluster', 'config', 'facts', 'agent', 'metrics', 'people'],
  commands: ['lib', 'cluster', 'config', 'facts', 'agent', 'metrics', 'people', 'serve'],
};

/** Folders of one folder, each of which may import from those before it. */
const rooms = {
  lib: ['base', 'json'],
  cluster: ['kube', 'credentials', 'http', 'watch', 'kubelet'],
  facts: ['workload', 'forecast', 'node', 'history', 'scrape'],
  metrics: ['exposition', 'telemetry'],
  people: ['pens', 'report', 'query', 'kinds', 'rules', 'answers', 'status'],
  serve: ['access', 'server', 'app', 'source'],
};

const layerRules = Object.entries(layers).flatMap(([folder, allowed]) => {
  const others = Object.keys(layers).filter((other) => other !== folder && !allowed.includes(other));
  const forbidden = [...others, ...(folder === 'commands' ? [] : ['sim'])].map((name) => `${name}/`);
  // Files of src itself: the two folders above the others know the version, none the program.
  const root = ['serve', 'commands'].includes(folder) ? 'cli' : 'cli|version';
  return (rooms[folder] ?? ['']).map((room, index, all) =>
    restricted([path.join('src', folder, room, '**/*.ts')], {
      regex: `^(?:\\.\\./)+(?:${[...forbidden, ...all.slice(index + 1).map((later) => `${later}/`), `(?:${root})\\.js$`].join('|')})`,
      message: `src/${folder} may import only from: ${allowed.join(', ') || 'nothing else in src'}. Its folders: ${all.join(' < ')}.`,
    }),
  );
});

const simRule = restricted(['sim/**/*.ts'], {
  regex: '/src/(?!lib/base/)',
  message: 'The simulated cluster shares no parser with what it verifies: it may import only src/lib/base.',
});

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
  simRule,
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
