import js from '@eslint/js';
import prettier from 'eslint-config-prettier/flat';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Which folders of src a folder may import from: the way of the data, one direction. Anything else is an error. */
const layers = {
  base: [],
  telemetry: ['base'],
  kube: ['base'],
  config: ['base', 'kube'],
  api: ['base', 'telemetry', 'kube'],
  store: ['base', 'telemetry', 'kube', 'api'],
  kubelet: ['base', 'telemetry', 'kube', 'api'],
  attribution: ['base', 'kube', 'kubelet'],
  workload: ['base', 'kube'],
  scrape: ['base', 'telemetry', 'kube', 'kubelet', 'attribution', 'workload'],
  exposition: ['base', 'kube', 'kubelet', 'attribution', 'workload', 'scrape'],
  status: ['base', 'telemetry', 'kube', 'kubelet', 'attribution', 'workload', 'scrape'],
  server: ['base', 'telemetry', 'scrape', 'exposition', 'status'],
  sim: ['base'],
};

/** Files of src itself: they know all folders, so no folder may know them. */
const rootFiles = String.raw`(?:app|cli|collection|scope|sources)\.js$`;

const layerRules = Object.entries(layers).map(([folder, allowed]) => {
  const forbidden = Object.keys(layers).filter((other) => other !== folder && !allowed.includes(other));
  return {
    files: [`src/${folder}/**/*.ts`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: `^(?:\\.\\./)+(?:(?:${[...forbidden, 'commands'].join('|')})/|${rootFiles})`,
              message: `src/${folder} may import only from: ${allowed.join(', ') || 'nothing else in src'}.`,
            },
          ],
        },
      ],
    },
  };
});

const rootRules = {
  files: ['src/*.ts'],
  ignores: ['src/cli.ts'],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            regex: '/(?:sim|commands)/|/cli\\.',
            message: 'The exporter must not know the simulation or the command line.',
          },
        ],
      },
    ],
  },
};

export default defineConfig(
  globalIgnores(['dist', 'coverage']),
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      complexity: ['error', 10],
      'max-depth': ['error', 3],
      'max-params': ['error', 4],
      'max-lines-per-function': ['error', { max: 60, skipComments: true, skipBlankLines: true }],
      'max-lines': ['error', { max: 250, skipComments: true, skipBlankLines: true }],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Use named exports.' },
        { selector: 'ExportAllDeclaration', message: 'No barrels: import from the file that declares it.' },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // `import { type A }` loads the module all the same: client-node alone would cost 70 MB.
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  ...layerRules,
  rootRules,
  { files: ['test/**'], rules: { 'max-lines-per-function': 'off', 'max-lines': 'off' } },
  { files: ['*.config.ts'], rules: { 'no-restricted-syntax': 'off' } },
  prettier,
);
