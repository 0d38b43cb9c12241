module coles/internal/kernel/gen

go 1.24.0
