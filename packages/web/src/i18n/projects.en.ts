export const projectsEn = {
  "project.name": "Name",
  "project.nameExample": "Checkout redesign",
  "project.description": "Description",
  "project.newLead": "A project holds ideas, proposals, tasks and documents.",
  "project.none": "No projects yet",
  "project.noneLead": "A project is where ideas become tasks and agents pick them up.",
  "project.ideas": "{count} {count|idea|ideas}",
  "project.openTasks": "{count} open {count|task|tasks}",
  "project.updated": "Updated {when}",
} as const
