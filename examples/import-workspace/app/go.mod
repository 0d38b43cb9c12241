module example.org/import-workspace/app

go 1.24.0
