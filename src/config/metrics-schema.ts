import { z } from 'zod';
import { choice } from './scalars.js';

export const metrics = z
  .strictObject({
    compatibility: choice({
      default: 'none',
      among: ['none', 'k8s-ephemeral-storage-metrics'],
      help: 'Also serve the families of another exporter, so that its dashboards and alerts go on working while you switch.',
    }),
  })
  .prefault({});
